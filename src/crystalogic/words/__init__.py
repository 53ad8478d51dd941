"""Models, explanations and what they are made of, in words for people."""
