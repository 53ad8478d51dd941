"""The paper as a diff: its claims, its experiments run again, and a verdict for each."""
