"""`python -m crystalogic` is the command line."""

from crystalogic.cli import main

main()
