"""Łukasiewicz logic: formulas, their text, their truth degrees, and laws that keep them."""
