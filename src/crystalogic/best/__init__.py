"""The best rules over the facts of a table, proved; all that are as good; and what is true of all of them."""

from crystalogic.best.find import Price, all_rules, find_best, find_price
from crystalogic.best.rules import BestRules

__all__ = ["BestRules", "Price", "all_rules", "find_best", "find_price"]
