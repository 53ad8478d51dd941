from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crystalogic import (
    AtLeast,
    FormulaSyntaxError,
    Iff,
    Minimum,
    StrongAnd,
    StrongOr,
    Variable,
    parse,
    variables,
)
from crystalogic.logic.names import OPERATORS
from crystalogic.logic.render import render
from strategies import any_name, formulas

a, b, c = variables("a b c")
POINTS = "at least 2 of (a, 2·(b ⊗ c), 3·at least 2 of (2·a, b), 2·1)"


@given(formulas(any_name))
def test_parse_undoes_print_for_every_formula_and_name(f):
    assert parse(str(f)) is f
    assert parse(f.to_ascii()) is f
    assert f.to_ascii().isascii()


@given(formulas(("s1", "s2", "let", "in", "at", "least", "of"), max_leaves=200))
def test_parse_undoes_print_with_let_bindings_and_keyword_names(f):
    shared = f
    for _ in range(7):
        shared = (shared & Variable("s1")) | ~shared
    assert parse(str(shared)) is shared
    assert parse(shared.to_ascii()) is shared


@given(st.text(max_size=30))
def test_any_text_parses_or_fails_with_a_syntax_error(text):
    try:
        f = parse(text)
    except FormulaSyntaxError as error:
        message = str(error)
    else:
        message = ""
        assert parse(str(f)) is f
    assert message == "" or "^" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a & b | c", "a ⊗ b ⊕ c"),
        ("a | b & c", "a ⊕ b ⊗ c"),
        ("(a | b) & c", "(a ⊕ b) ⊗ c"),
        ("a -> b -> c", "a → b → c"),
        ("(a -> b) -> c", "(a → b) → c"),
        ("~(a & b) -> c <-> a", "¬(a ⊗ b) → c ↔ a"),
        ("a <-> (b <-> c)", "a ↔ (b ↔ c)"),
        (r"a /\ b \/ c", "a ∧ b ∨ c"),
        ("(a & b) & c", "(a ⊗ b) ⊗ c"),
        ("!a && b || c", "¬a ⊗ b ⊕ c"),
        ("a => b", "a → b"),
        ("at least 2 of (a, ~b, c & a) | b", "at least 2 of (a, ¬b, c ⊗ a) ⊕ b"),
        ("at  least -1  of (a)", "at least -1 of (a)"),
        ("at least 4 of (3*a, 2·~b, c)", "at least 4 of (3·a, 2·¬b, c)"),
        ("at least 4 of (a, a, a, b, a)", "at least 4 of (3·a, b, a)"),
        ("at least 2 of (1·a, 2 · (b & c), 3*at least 2 of (a, a, b), 2*1)", POINTS),
        ("let s = a & b; t = s | c in t & ~s", "(a ⊗ b ⊕ c) ⊗ ¬(a ⊗ b)"),
        ("{a}", "a"),
        ("{cp=4} & {age \\u2265 55}", "{cp=4} ⊗ {age ≥ 55}"),
        ("{two words} | {brace \\}}", "{two words} ⊕ {brace \\}}"),
        ("{let} & {in}", "{let} ⊗ {in}"),
        ("Größe ⊗ β", "Größe ⊗ β"),
    ],
)
def test_text_is_printed_with_as_few_parentheses_as_precedence_allows(text, expected):
    assert str(parse(text)) == expected


@pytest.mark.parametrize("k", [10**15, -(10**15), 0])
def test_thresholds_of_any_allowed_size_are_read(k):
    """The smallest one could be built and printed, and was then refused: its sign was counted as a digit."""
    assert parse(f"at least {k} of (a, b)") is AtLeast(k, a, b)
    assert parse(f"at least {k} of (a, b)".replace("-", "−")) is AtLeast(k, a, b)


@given(formulas(any_name))
def test_without_points_the_text_is_another_of_the_same_formula(f):
    text = render(f, "ascii", points=False)
    assert parse(text) is f
    assert "*" not in text.replace("{*}", "") or any("*" in name for name in f.variables)


def test_a_part_with_points_is_one_literal():
    assert parse("at least 4 of (3·a, 2·(b ⊗ ¬c), c)").size == 4
    assert parse("at least 4 of (2·a, b, a)").size == 3
    assert (a & a & b).size == 3


def test_points_are_no_reason_for_names_of_parts():
    inner = AtLeast(2, *variables(f"x{i}" for i in range(40)))
    assert str(AtLeast(4, *[inner] * 3, a)) == f"at least 4 of (3·{inner}, a)"
    assert str(AtLeast(4, *[inner] * 3, a, inner)).endswith("\nin at least 4 of (3·s1, a, s1)")


@pytest.mark.parametrize(
    ("text", "problem", "place"),
    [
        ("3·a", "points such as 3·a stand only before a part of at least k of (…)", 0),
        ("at least 2 of (a ⊗ 3·b, c)", "points such as 3·a stand only before a part of at least k of (…)", 19),
        ("at least 2 of (2·3·b, c)", "points such as 3·a stand only before a part of at least k of (…)", 17),
        ("at least 2 of (3·a ⊗ b, c)", "expected ',' or ')': points of a longer part are written 3·(…)", 19),
        ("at least 2 of (0·a, b)", "expected points from 1 on, at most 100,000 in one text", 15),
        ("at least 2 of (99999·a, 2·b)", "expected points from 1 on, at most 100,000 in one text", 24),
        ("at least 2 of (1000000000000·a)", "expected points from 1 on, at most 100,000 in one text", 15),
    ],
)
def test_points_where_they_mean_nothing_are_refused(text, problem, place):
    with pytest.raises(FormulaSyntaxError) as error:
        parse(text)
    assert str(error.value) == f"{problem}\n  {text}\n  {' ' * place}^"


def test_sixty_literals_are_written_out_and_more_are_shared():
    half = StrongOr(*variables(f"x{i}" for i in range(30)))
    assert "let" not in str(half & half)
    assert str(half & half & a).startswith("let s1 = x0 ⊕ ")
    assert str(half & half & a).endswith("\nin s1 ⊗ s1 ⊗ a")


def test_names_of_shared_parts_avoid_the_names_of_variables():
    half = StrongOr(*variables(f"x{i}" for i in range(40)))
    for taken, name in (("s", "s1"), ("sx", "s1"), ("s9", "ss1"), ("ss", "s1")):
        assert str(half & half & Variable(taken)).endswith(f"\nin {name} ⊗ {name} ⊗ {taken}")
    both = half & half & Variable("s1") & Variable("ss2")
    assert str(both).endswith("\nin sss1 ⊗ sss1 ⊗ s1 ⊗ ss2")


def test_a_shared_formula_as_latex_is_aligned():
    half = StrongOr(*[a] * 31)
    text = " \\oplus ".join("a" * 31)
    assert (half & half).to_latex() == (
        f"\\begin{{aligned}}\ns_{{1}} &= {text}, \\\\\n&\\phantom{{=}}\\; s_{{1}} \\otimes s_{{1}}\n\\end{{aligned}}"
    )


def test_latex_as_whole_strings():
    assert parse("~(trestbps & ca) | {cp=4}").to_latex() == (
        r"\neg (\mathit{trestbps} \otimes \mathit{ca}) \oplus \text{cp=4}"
    )
    assert parse("at least 2 of (x, ~y, body_shape)").to_latex() == (
        r"\text{at least }2\text{ of }(x, \neg y, \mathit{body\_shape})"
    )
    assert parse("at least 4 of (3·x, 2·¬y, 2·(x ⊗ y))").to_latex() == (
        r"\text{at least }4\text{ of }(3\cdot x, 2\cdot \neg y, 2\cdot (x \otimes y))"
    )
    assert parse("{age ≥ 55} → {a&b_50%}").to_latex() == r"\text{age $\geq$ 55} \rightarrow \text{a\&b\_50\%}"
    assert parse("a ∧ b ∨ (a ↔ b)").to_latex() == r"a \wedge b \vee (a \leftrightarrow b)"


def test_long_shared_formulas_are_printed_with_let_bindings():
    f = a & b
    for _ in range(6):
        f = ~(f | c) & f
    assert f.size > 60
    assert str(f) == (
        "let s1 = a ⊗ b;\n"
        "    s2 = ¬(s1 ⊕ c) ⊗ s1;\n"
        "    s3 = ¬(s2 ⊕ c) ⊗ s2;\n"
        "    s4 = ¬(s3 ⊕ c) ⊗ s3;\n"
        "    s5 = ¬(s4 ⊕ c) ⊗ s4;\n"
        "    s6 = ¬(s5 ⊕ c) ⊗ s5\n"
        "in ¬(s6 ⊕ c) ⊗ s6"
    )
    assert f.to_latex().startswith("\\begin{aligned}\ns_{1} &= a \\otimes b, \\\\\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a ⊗ ⊕ b", "expected a variable, 0, 1, '¬' or '('\n  a ⊗ ⊕ b\n      ^"),
        ("", "expected a variable, 0, 1, '¬' or '('\n  \n  ^"),
        (
            "cp=4",
            "expected an operator; a name such as cp=4 stands in braces: {cp=4}; equality is <->\n  cp=4\n    ^",
        ),
        ("(a & b", "expected an operator or ')'\n  (a & b\n        ^"),
        ("a & b)", "')' without '('\n  a & b)\n       ^"),
        ("a b", "expected an operator or the end of the formula\n  a b\n    ^"),
        ("2 & a", "2 is no constant, expected a variable, 0, 1, '¬' or '('\n  2 & a\n  ^"),
        ("{a", "unexpected '{', expected a closing '}'\n  {a\n  ^"),
        ("{}", "expected a name between the braces\n  {}\n  ^"),
        ("a <-> b <-> c", "expected parentheses: x <-> y <-> z has two readings\n  a <-> b <-> c\n          ^"),
        ("at least 2 of a", "expected '(' after 'at least k of'\n  at least 2 of a\n                ^"),
        ("at least 2 of , a)", "expected '(' after 'at least k of'\n  at least 2 of , a)\n                ^"),
        ("at least 2 of (a b)", "expected an operator, ',' or ')'\n  at least 2 of (a b)\n                   ^"),
        ("a & let", "'let' is a keyword; the variable is written {let}\n  a & let\n      ^"),
        ("let s = a", "expected ';' and another binding, or 'in' and the formula\n  let s = a\n           ^"),
        ("a\n& (b\n| )", "expected a variable, 0, 1, '¬' or '('\n  | )\n    ^"),
        ("a and b", "expected an operator; for 'and' write & or ⊗\n  a and b\n    ^"),
        ("let s = a; s = b in s", "'s' is bound already; choose another name\n  let s = a; s = b in s\n             ^"),
        (
            "at least 99999999999999999 of (a)",
            "expected a threshold of at most 1,000,000,000,000,000 in size\n  at least 99999999999999999 of (a)\n  ^",
        ),
        ("let 2 = a in a", "expected a name to bind\n  let 2 = a in a\n      ^"),
        ("let in = a in a", "'in' is a keyword; the variable is written {in}\n  let in = a in a\n      ^"),
        ("let s a in a", "expected '=' after the bound name\n  let s a in a\n        ^"),
        ("(a, b)", "expected an operator or ')'\n  (a, b)\n    ^"),
        ("a, b", "expected an operator or the end of the formula\n  a, b\n   ^"),
        ("a implies b", "expected an operator; for 'implies' write -> or →\n  a implies b\n    ^"),
        ("a ~ b", "expected an operator or the end of the formula\n  a ~ b\n    ^"),
        (
            "at least 1000000000000001 of (a)",
            "expected a threshold of at most 1,000,000,000,000,000 in size\n  at least 1000000000000001 of (a)\n  ^",
        ),
        ("{\\q}", "expected an escape such as \\}, \\\\, \\n or \\u2265 after a backslash\n  {\\q}\n  ^"),
        (
            "x' & y",
            'unexpected "\'", expected an operator, a name, 0, 1 or a parenthesis; '
            "a name with this character stands in braces, such as {x'}\n  x' & y\n   ^",
        ),
        ("a § b", "unexpected '§', expected an operator, a name, 0, 1 or a parenthesis\n  a § b\n    ^"),
    ],
)
def test_a_syntax_error_shows_the_line_a_caret_and_what_was_expected(text, message):
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(text)
    assert str(caught.value) == message


def test_a_long_line_is_shown_around_the_caret():
    with pytest.raises(FormulaSyntaxError) as caught:
        parse("a & " * 500 + "| b")
    shown = str(caught.value).splitlines()
    assert len(shown[1]) <= 102
    assert shown[1][shown[2].index("^")] == "|"


def test_every_spelling_in_the_table_is_read():
    for operator in OPERATORS:
        for spelling in operator.spellings:
            text = f"{spelling}a" if operator.chain == "prefix" else f"a {spelling} b"
            assert type(parse(text)) is operator.node


@pytest.mark.parametrize(
    ("loose", "tight"), list(pairwise(OPERATORS[:-1])), ids=lambda operator: operator.node.__name__
)
def test_each_connective_binds_tighter_than_the_one_before(loose, tight):
    right = f"a {loose.unicode} b {tight.unicode} c"
    assert parse(right) is loose.node(a, tight.node(b, c))
    assert str(parse(right)) == right
    left = f"a {tight.unicode} b {loose.unicode} c"
    assert parse(left) is loose.node(tight.node(a, b), c)
    assert str(parse(left)) == left
    assert str(tight.node(a, loose.node(b, c))) == f"a {tight.unicode} (b {loose.unicode} c)"


def test_negation_binds_tightest():
    assert str(parse("~a & ~(b & c)")) == "¬a ⊗ ¬(b ⊗ c)"
    assert parse("~a & b") is (~a & b)
    assert str(parse("~~(a)")) == "¬¬a"


def test_top_and_bottom_are_the_constants():
    assert parse("⊥ → a ⊗ ⊤") is parse("0 → a ⊗ 1")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a + b", "for ⊕ write |"),
        ("a * b", "for ⊗ write &"),
        ("a ^ b", "for ∧, the minimum, write /\\; for ⊗ write &"),
        ("-a", "for ¬ write ~"),
        ("￢a", "for ¬ write ~"),
        ("a ⊖ b", "for a ⊖ b write a & ~b"),
        ("age > 5", "stands in braces: {age ≥ 55}"),
        ("'a' & b", "stands in braces: {two words}"),
        ("x' & b", "stands in braces, such as {x'}"),
        ("\\neg a", "LaTeX is printed, not read"),
        ("not a", "for 'not' write ~ or ¬"),
        ("(not a)", "for 'not' write ~ or ¬"),
        ("a & (b and c)", "for 'and' write & or ⊗"),
        ("a v b", "for ∨, the maximum, write \\/"),
        ("min(a, b)", "for min(a, b) write a /\\ b"),
        ("at most 1 of (a, b)", "write at least 2 of (a, b, c), with a whole number"),
        ("At Least two of (a, b)", "write at least 2 of (a, b, c), with a whole number"),
    ],
)
def test_what_is_written_elsewhere_is_answered_with_what_is_written_here(text, hint):
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(text)
    assert hint in str(caught.value).partition("\n")[0]


def test_other_spellings_are_read():
    assert parse("a ⊃ b") is parse("a -> b")
    assert parse("At Least 2 OF (a, b, c)") is parse("at least 2 of (a, b, c)")


@pytest.mark.parametrize("connective", [StrongAnd, Minimum, Iff])
def test_text_grows_with_the_formula_also_where_only_negations_or_constants_are_shared(connective):
    """A file of some kilobytes would have printed 2ⁿ characters."""
    for start in (parse("a ⊗ b"), StrongAnd(1, 0)):
        lengths = []
        for n in (200, 400):
            formula = start
            for _ in range(n):
                formula = connective(~formula, ~formula)
            for text in (str(formula), formula.to_ascii()):
                assert parse(text) is formula
            assert len(formula.to_latex()) < 200 * n
            lengths.append(len(str(formula)))
        assert lengths[1] < 2.2 * lengths[0]
