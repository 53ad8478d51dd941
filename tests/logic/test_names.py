import pytest
from hypothesis import given

from crystalogic.logic.names import latex_name, latex_text, read_name, size_text, write_name
from strategies import any_name


@given(any_name)
def test_a_name_in_braces_is_read_back(name):
    for ascii_only in (False, True):
        written = write_name(name, ascii_only=ascii_only)
        assert written == name or read_name(written[1:-1]) == name


@pytest.mark.parametrize(
    ("name", "unicode", "ascii_only"),
    [
        ("age", "age", "age"),
        ("let", "{let}", "{let}"),
        ("2nd", "{2nd}", "{2nd}"),
        ("Größe", "Größe", r"{Gr\u00f6\u00dfe}"),
        ("\uffff", "{\uffff}", r"{\uffff}"),
        ("\U00010000", "\U00010000", r"{\U00010000}"),
        ("a\n{b}\\", r"{a\n\{b\}\\}", r"{a\n\{b\}\\}"),
    ],
)
def test_names_are_written_bare_in_braces_or_escaped(name, unicode, ascii_only):
    assert write_name(name) == unicode
    assert write_name(name, ascii_only=True) == ascii_only


@pytest.mark.parametrize("escape", [r"\q", r"\u12", r"\U0001"])
def test_an_escape_that_does_not_exist_is_no_name(escape):
    with pytest.raises(ValueError, match=r"^\\"):
        read_name(escape)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (10**18 - 1, "999,999,999,999,999,999"),
        (10**18, "about 10^18"),
        (10**30, "about 10^30"),
        (2**1000, "about 10^301"),
    ],
)
def test_gigantic_counts_are_told_as_powers_of_ten(count, text):
    assert size_text(count) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x", "x"),
        ("xy", r"\mathit{xy}"),
        ("β", r"\beta"),
        ("βx", r"\mathit{βx}"),
        ("φ", r"\varphi"),
        ("x₁₀", "x_{10}"),
        ("Γ₂", r"\Gamma_{2}"),
        ("x1", r"\mathit{x1}"),
        ("x₁y", r"\mathit{x₁y}"),
        ("4", r"\text{4}"),
        ("_", r"\mathit{\_}"),
        ("a b", r"\text{a b}"),
    ],
)
def test_a_latin_letter_is_a_symbol_of_its_own_in_latex(name, text):
    assert latex_name(name) == text


def test_latex_text_is_one_line_without_what_cannot_be_shown():
    assert latex_text("50 %\n of\t$ \x07{x}") == r"50 \% of \$ \{x\}"
