"""Formulas alone: text, degrees, laws, and questions over declared domains, against rows of the domain."""

from fractions import Fraction
from typing import Any

import crystalogic as cl
from oracle.case import Case
from oracle.commands import command
from oracle.draws import draw_formula
from oracle.formulas import Formula, read

NAMES = ("a", "b", "c", "a'", "a''", "x 1", "let", "at least 2 of")
DEGREES = tuple(Fraction(n, d) for d in (1, 2, 3, 4, 5) for n in range(d + 1))
MOST_ROWS = 150


def attack(case: Case) -> None:
    """Two formulas and a domain, asked about in every way."""
    draw = case.draw
    names = draw.sample(NAMES[:4], draw.choice([1, 1, 2, 3])) if draw.random() < 0.8 else draw.sample(NAMES, 3)
    text = draw_formula(names, draw, draw.choice([1, 2, 2, 3]))
    if draw.random() < 0.3:  # of one input, and there and back
        text = f"{draw.choice(['', '¬'])}({draw_formula(names[:1], draw, 1)} ↔ {draw_formula(names[:1], draw, 1)})"
    one, formula = read(text), cl.parse(text)
    other_text = draw.choice([str(cl.simplify(formula)), draw_formula(names, draw, 2), text.replace("⊕", "∨", 1)])
    other, second = read(other_text), cl.parse(other_text)
    domain = draw_domain(case, names)
    rows = [draw_degrees(case, names, domain) for _ in range(MOST_ROWS)]
    for row in rows[:10]:
        wanted = one.degree(row)
        case.same(formula.evaluate(row), wanted, f"{text} at {row}")
        for form in (str(formula), formula.to_ascii()):
            case.same(read(form).degree(row), wanted, f"{form} at {row}")
    simple = read(str(cl.simplify(formula, domain)))
    for row in rows:
        case.expect(simple.degree(row) == one.degree(row), f"simplify {text} over {domain} at {row}")
    if draw.random() < 0.3:
        on_the_command_line(case, text, one, rows[0])
    two_formulas(case, (formula, one), (second, other), domain, rows)
    changes(case, formula, one, domain, rows)


def on_the_command_line(case: Case, text: str, one: Formula, row: dict[str, Fraction]) -> None:
    """`eval` and `prove` of the same text."""
    if text.startswith(("-", "let")) or any("=" in name for name in row):
        return
    said = command("eval", text, *(f"{name}={row[name]}" for name in one.names))
    if case.same(said.code, 0, f"eval {text}: {said.err[:200]}: exit code"):
        case.same(Fraction(said.out.strip()), one.degree(row), f"eval {text} at {row}")
    case.same(command("prove", text, "--entails", text).code, 0, f"prove {text} --entails itself: exit code")


def draw_domain(case: Case, names: list[str]) -> Any:
    """Some inputs Boolean, or in a group, or all with a few truth values; inputs that no formula has may be named."""
    draw = case.draw
    others = [f"{name}'" for name in names] + ["q"]
    pool = list(dict.fromkeys([*names, *others, *others]))
    boolean = draw.sample(pool, draw.randint(0, 2))
    free = [name for name in pool if name not in boolean]
    group = draw.sample(free, min(len(free), draw.choice([0, 0, 2])))
    kinds = {"one_hot": [group]} if draw.random() < 0.5 else {"exclusive": [group]}
    n = draw.choice([None, None, None, 2, 3])
    return cl.Domain(boolean=boolean, n=n, **(kinds if group else {}))


def draw_degrees(case: Case, names: list[str], domain: Any) -> dict[str, Fraction]:
    """A row of the domain."""
    draw = case.draw
    everything = dict.fromkeys([*names, *domain.boolean, *(name for group in domain.groups for name in group)])
    pool = DEGREES if domain.n is None else [Fraction(k, domain.n) for k in range(domain.n + 1)]
    row = {name: draw.choice(pool) for name in everything}
    row.update({name: Fraction(draw.randint(0, 1)) for name in domain.boolean})
    for group in domain.one_hot:
        chosen = draw.choice(group)
        row.update({name: Fraction(name == chosen) for name in group})
    for group in domain.exclusive:
        chosen = draw.choice([*group, None])
        row.update({name: Fraction(name == chosen) for name in group})
    return row


def judge(case: Case, answer: Any, fails: Any, rows: list[dict[str, Fraction]]) -> None:
    """A proof has no counterexample among the rows; a counterexample is one."""
    if answer.verdict is cl.Verdict.PROVED:
        for row in rows:
            case.expect(not fails(row), f"{answer}: {row}")
    elif answer.verdict is cl.Verdict.REFUTED and answer.row is not None:
        case.expect(fails(dict.fromkeys(rows[0], Fraction(0)) | dict(answer.row)), f"{answer}")


def two_formulas(
    case: Case, left: tuple[Any, Formula], right: tuple[Any, Formula], domain: Any, rows: list[dict[str, Fraction]]
) -> None:
    """Equivalent, entailed, valid, satisfiable."""
    (f, one), (g, other) = left, right
    judge(case, cl.equivalent(f, g, domain), lambda row: one.degree(row) != other.degree(row), rows)
    judge(case, cl.entails(f, g, domain), lambda row: one.degree(row) > other.degree(row), rows)
    judge(case, cl.valid(f, domain), lambda row: one.degree(row) < 1, rows)


def changes(case: Case, formula: Any, one: Formula, domain: Any, rows: list[dict[str, Fraction]]) -> None:
    """Monotone in an input; an input in a group changes with the group and is left out."""
    free = [name for name in one.names if not any(name in group for group in domain.groups)]
    if not free:
        return
    name = case.draw.choice(free)
    values = (Fraction(0), Fraction(1)) if domain.is_boolean(name) else DEGREES
    values = values if domain.n is None else tuple(Fraction(k, domain.n) for k in range(domain.n + 1))
    if domain.n is not None and name in domain.boolean:
        values = (Fraction(0), Fraction(1))
    falls = case.draw.random() < 0.5
    rising = cl.monotone(formula, name, domain, decreasing=falls)
    for row in rows[:40]:
        degrees = [one.degree({**row, name: value}) for value in sorted(values)]
        in_order = sorted(degrees, reverse=falls)
        if rising:
            case.expect(degrees == in_order, f"{rising}: {row}, {name} rising gives {[str(each) for each in degrees]}")
