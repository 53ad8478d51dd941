"""Crystalogic: short logical formulas from tables, proved to be the network they were read from."""
