"""Training and crystallization: three strategies, one loop."""
