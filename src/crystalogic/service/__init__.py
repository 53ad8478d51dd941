"""A model as a service over HTTP on this machine: it predicts, explains and tells what it is, and writes nothing."""
