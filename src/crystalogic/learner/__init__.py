"""Rules from likelihood: points and neurons chosen against softened labels, with matrix products alone."""
