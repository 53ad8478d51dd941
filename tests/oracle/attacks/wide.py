"""Tables with more columns than a model file may have: no file is written that cannot be read."""

from collections.abc import Iterator
from contextlib import contextmanager

from crystalogic import untrusted
from oracle.case import Case
from oracle.commands import command

MANY = 16_800  # columns of numbers, whose facts are more than a file may hold
RARELY = 0.01


def attack(case: Case) -> None:
    """A wide table, learned over an older model: afterwards there is a model that works, or the older one."""
    draw = case.draw
    is_real = not case.is_quick and draw.random() < RARELY
    n_columns = MANY if is_real else draw.randint(20, 120)
    n_rows = 24
    names = [f"g{place}" for place in range(n_columns)]
    lines = [",".join([*names, "y"])]
    for row in range(n_rows):
        lines.append(",".join([*(str(draw.randrange(1000)) for _ in names), "yes" if row % 2 else "no"]))
    (case.folder / "t.csv").write_text("\n".join(lines) + "\n")
    (case.folder / "m.json").write_text("the older one")
    with lowered(None if is_real else draw.choice([50, 200, 500])):
        said = command(
            "fit", "t.csv", "--target", "y", "--output", "m.json", "--quiet", "--time", "0.3", "--max-literals", "2"
        )
        what = f"fit of {n_columns} columns: {said.code} {said.err[:200]}"
        left = (case.folder / "m.json").read_text()
        if said.code:
            case.same(left, "the older one", f"{what}: the older file")
            return
        for arguments in (("verify", "m.json"), ("predict", "m.json", "t.csv"), ("explain", "m.json")):
            again = command(*arguments)
            case.same(again.code, 0, f"{what}: {arguments[0]} {again.err[:200]}: exit code")


@contextmanager
def lowered(literals: int | None) -> Iterator[None]:
    """Files may hold fewer facts for a while, so that small tables are wide."""
    before = untrusted.LIMITS.literals
    object.__setattr__(untrusted.LIMITS, "literals", before if literals is None else literals)
    try:
        yield
    finally:
        object.__setattr__(untrusted.LIMITS, "literals", before)
