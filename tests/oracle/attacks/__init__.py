"""The kinds of attack, each a function of a case."""
