"""Certificates, their independent checker, and questions answered with proofs."""
