"""From crystals to formulas and back: read, expand, extract, encode."""
