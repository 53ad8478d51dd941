"""From crystals to formulas and back: read, expand, approximate by Rule R, extract, encode."""
