"""The chooser: a page on which a person finds, compares, edits and saves a rule, and how the saved choice is taken."""

from crystalogic.choosing.page import chooser_page, find_good
from crystalogic.choosing.rules import GoodRules, Rule, take_choice

__all__ = ["GoodRules", "Rule", "chooser_page", "find_good", "take_choice"]
