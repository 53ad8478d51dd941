"""What hypothesis draws, for all tests: names, formulas, rows, domains, crystals."""

import random
from datetime import date
from fractions import Fraction

from hypothesis import strategies as st

from crystalogic import (
    AtLeast,
    Constant,
    Crystal,
    Domain,
    Formula,
    Iff,
    Implies,
    Maximum,
    Minimum,
    Neuron,
    Not,
    StrongAnd,
    StrongOr,
    Variable,
)

NAMES = ("a", "b", "c", "d", "cp=4", "age ≥ 55")
any_name = st.text(min_size=1, max_size=12)


def formulas(
    names: tuple[str, ...] | st.SearchStrategy[str] = NAMES, max_leaves: int = 12
) -> st.SearchStrategy[Formula]:
    """Formulas with every connective, over a few names."""
    drawn = st.sampled_from(names) if isinstance(names, tuple) else names
    leaves = st.one_of(drawn.map(Variable), st.sampled_from([Constant(0), Constant(1)]), drawn.map(Variable))

    def extend(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        several = st.lists(parts, min_size=2, max_size=4)
        return st.one_of(
            parts.map(Not),
            several.map(lambda listed: StrongAnd(*listed)),
            several.map(lambda listed: StrongOr(*listed)),
            several.map(lambda listed: Minimum(*listed)),
            several.map(lambda listed: Maximum(*listed)),
            st.tuples(parts, parts).map(lambda pair: Implies(*pair)),
            st.tuples(parts, parts).map(lambda pair: Iff(*pair)),
            st.tuples(st.integers(-1, 5), several).map(lambda drawn: AtLeast(drawn[0], *drawn[1])),
            st.tuples(st.integers(-1, 9), st.lists(st.tuples(parts, st.integers(1, 5)), min_size=1, max_size=3)).map(
                lambda drawn: AtLeast(drawn[0], *(part for part, points in drawn[1] for _ in range(points)))
            ),
        )

    return st.recursive(leaves, extend, max_leaves=max_leaves)


def degrees() -> st.SearchStrategy[Fraction]:
    return st.fractions(0, 1, max_denominator=12)


def rows(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[dict[str, Fraction]]:
    return st.fixed_dictionaries({name: degrees() for name in names})


@st.composite
def domains_with_rows(draw: st.DrawFn) -> tuple[Domain, dict[str, Fraction]]:
    """A domain over NAMES and one row of it."""
    shuffled = draw(st.permutations(NAMES))
    boolean = shuffled[: draw(st.integers(0, 2))]
    group = shuffled[2 : 2 + draw(st.integers(0, 4))]
    complete = draw(st.booleans())
    n = draw(st.sampled_from([None, None, 1, 2, 3, 4]))
    domain = Domain(boolean, [group] if group and complete else [], [group] if group and not complete else [], n)
    row = draw(rows()) if n is None else {name: Fraction(draw(st.integers(0, n)), n) for name in NAMES}
    row.update({name: Fraction(draw(st.integers(0, 1))) for name in boolean})
    if group:
        chosen = draw(st.sampled_from(group if complete else [*group, None]))
        row.update({name: Fraction(int(name == chosen)) for name in group})
    return domain, row


def random_crystal(seed: int) -> Crystal:
    """1 to 8 inputs, 1 to 3 layers, residual merges now and then, weights -3 to 3, any bias."""
    draw = random.Random(seed)
    n_inputs = draw.randint(1, 8)
    neurons: list[Neuron] = []
    layer = list(range(n_inputs))

    def add(neuron: Neuron) -> int:
        neurons.append(neuron)
        return n_inputs + len(neurons) - 1

    for depth in range(draw.randint(1, 3)):
        scale = draw.choice([1, 1, 2, 3])
        if depth and draw.random() < 0.4:  # skip links: inputs and earlier neurons read together
            layer = sorted({*layer, *draw.sample(range(n_inputs + len(neurons)), k=min(3, n_inputs + len(neurons)))})
        width = len(layer) if depth and draw.random() < 0.5 else draw.randint(1, 4)
        inner = []
        for _ in range(width):
            weights = [draw.randint(-scale, scale) for _ in layer]
            negative = -sum(weight for weight in weights if weight < 0)
            k = draw.randint(-1, sum(map(abs, weights)) + 2)
            inner.append(add(Neuron(layer, weights, negative - k + 1)))
        if depth and width == len(layer):
            inner = [
                add(Neuron([f, h], [1, 1], draw.choice([-2, -1, -1, 0, 0, 1])))
                for f, h in zip(inner, layer, strict=True)
            ]
        layer = inner
    return Crystal([f"x{i}" for i in range(n_inputs)], neurons, [draw.choice(layer)])


crystals = st.integers(0, 10**9).map(random_crystal)


CELLS = (  # of one kind of column each
    st.integers(0, 3),
    st.integers(-60, 60),
    st.sampled_from([0.0, -0.0, 2.5, float("nan")]),
    st.floats(),
    st.booleans(),
    st.sampled_from([True, False, None]),
    st.sampled_from(["a", " a", "b", "?", "", None]),
    st.sampled_from(["1", "4", "4.0", "007", "NA", 4, 4.5]),
    st.sampled_from(["x", "2024-01-31", "5.6.2024", date(2024, 1, 31)]),
    st.sampled_from([True, 1, "1", "x", None, 10**400, 2**53, 2**53 + 1, -(2**63)]),
    st.integers(0, 300).map(lambda number: f"p{number}"),
)


@st.composite
def table_columns(draw: st.DrawFn, max_rows: int = 120) -> list[list[object]]:
    """Columns of one length, as lists of cells: of one kind, of two, or with another value in every row."""
    n_rows = draw(st.integers(0, max_rows))
    cells = st.one_of(st.sampled_from(CELLS), st.tuples(*[st.sampled_from(CELLS)] * 2).map(lambda two: st.one_of(*two)))
    several = cells.flatmap(lambda each: st.lists(each, min_size=n_rows, max_size=n_rows))
    own = st.sampled_from([list(range(n_rows)), [f"p{row}" for row in range(n_rows)]])
    return draw(st.lists(st.one_of(several, several, own), min_size=1, max_size=3))
