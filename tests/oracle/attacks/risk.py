"""Scores and probabilities: counted part by part, in memory, in explanations and by the command."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from crystalogic.encoding import Encoding
from crystalogic.errors import CertificateError
from crystalogic.fitting.reading import model_of
from crystalogic.logic.parse import parse
from crystalogic.model import Risk
from crystalogic.model.risk import OUT_OF
from oracle.case import Case
from oracle.commands import command, strict_json
from oracle.draws import CLASSES, Drawn, draw_column, draw_formula, draw_table
from oracle.files import write_csv
from oracle.formulas import read
from oracle.rules import Refused, Rule, rule_of


@dataclass(frozen=True)
class Counting:
    """A rule of parts with points and a share for each score, by the package and by the oracle."""

    drawn: Drawn
    by_part: Rule  # a formula for each part
    points: tuple[int, ...]
    shares: tuple[int, ...]

    def count(self, row: Any) -> tuple[int, Fraction] | None:
        """The score of a row and its probability; None where the rule refuses it."""
        try:
            self.drawn.rule.degrees(row)
            degrees = self.by_part.degrees(row)
        except Refused:
            return None
        score = int(sum(worth * degree for worth, degree in zip(self.points, degrees, strict=True)))
        return score, Fraction(self.shares[score], OUT_OF)


def draw_counting(case: Case) -> Counting | None:
    """Such a rule in a file, or none, where the checker cannot show a formula of weak connectives."""
    draw = case.draw
    columns = [draw_column(name, draw) for name in ("age", "dept", "x")[: draw.randint(2, 3)]]
    columns = [replace(each, literals=tuple(x for x in each.literals if x.is_boolean)) for each in columns]
    encoding = Encoding(tuple(columns))
    parts = {draw_formula(list(encoding.names), draw, draw.randint(0, 1)): draw.choice((1, 1, 2, 3)) for _ in range(3)}
    most = sum(parts.values())
    counted = ", ".join(part for part, points in parts.items() for _ in range(points))
    formula = parse(f"at least {draw.randint(1, most)} of ({counted})")
    try:
        model = model_of([formula], encoding, "y", draw.choice(CLASSES))
    except CertificateError:
        return None
    shares = tuple(sorted(draw.randint(1, OUT_OF - 1) for _ in range(most + 1)))
    if draw.random() < 0.5:  # several scores with one share
        shares = tuple(max(1, share // 2000 * 2000) for share in shares)
    model = replace(model, risk=Risk(shares))
    path = case.path("model.json")
    model.save(path)
    rule = rule_of(path.read_text(encoding="utf-8"))
    by_part = replace(rule, formulas=tuple(map(read, parts)))
    return Counting(Drawn(model, rule, path), by_part, tuple(parts.values()), shares)


def attack(case: Case) -> None:
    """A rule of parts with points and a share for each score, and a table."""
    draw, counting = case.draw, draw_counting(case)
    if counting is None:
        return
    model, path = counting.drawn.model, counting.drawn.path
    formula = model.formulas[0]
    table = draw_table(counting.drawn, draw, mixed=False)
    wanted = [_told(counting, table.row(place)) for place in range(table.n_rows)]
    scores = model.scores(table.cells, unknown="skip")[:, 0].tolist()
    told = model.probabilities(table.cells, unknown="skip")[:, 1].tolist()
    found = [None if score != score else (score, p) for score, p in zip(scores, told, strict=True)]
    case.same(found, wanted, f"scores and probabilities of {formula}")
    for place in range(min(3, table.n_rows)):
        if wanted[place] is not None:
            each = model.explain(table.row(place))
            case.same(
                (each.score, float(each.probability or 0)), wanted[place], f"explanation of row {place}: {formula}"
            )
    file = case.path("table.csv")
    written = write_csv(table, file, draw)
    said = command("predict", str(path), str(file), "--risk", "--json", "--unknown", "skip")
    if case.same(said.code, 0, f"predict --risk: {said.err[:300]}"):
        again = [list(row.values())[-2:] for row in strict_json(said.out)]
        rows = [_told(counting, written.row(at)) for at in range(written.n_rows)]
        case.same([None if s is None else (s, p) for s, p in again], rows, f"predict --risk of {formula}")


def _told(counting: Counting, row: Any) -> tuple[int, float] | None:
    """The score of a row and its probability as a number."""
    found = counting.count(row)
    return None if found is None else (found[0], float(found[1]))
