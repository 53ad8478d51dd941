"""Every block of the page on strategies runs and prints what it says."""

import doctest
from pathlib import Path


def test_the_page_on_strategies_runs():
    page = Path(__file__).parents[2] / "docs" / "choose-a-strategy.md"
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 5
    assert result.failed == 0
