"""Rows of a table in parts, encoded once and packed, to train networks on: in memory, on the disk or on workers."""
