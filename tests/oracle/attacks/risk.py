"""Scores and probabilities: counted part by part, in memory, in explanations and by the command."""

from oracle.case import Case
from oracle.commands import command, strict_json
from oracle.draws import draw_points, draw_table
from oracle.files import write_csv


def attack(case: Case) -> None:
    """A rule of parts with points and a share for each score, and a table."""
    draw = case.draw
    counted = draw_points(draw, case.folder, ("age", "dept", "x"))
    model = counted.drawn.model
    (formula,) = model.formulas
    table = draw_table(counted.drawn, draw, mixed=False)
    wanted = [counted.told(table.row(place)) for place in range(table.n_rows)]
    scores = model.scores(table.cells, unknown="skip")[:, 0]
    columns = [scores.tolist(), model.probabilities(table.cells, unknown="skip")[:, 1].tolist()]
    columns += [] if model.band is None else [model.band.asks(scores).tolist()]
    found = [None if told[0] != told[0] else told for told in zip(*columns, strict=True)]
    case.same(found, wanted, f"scores and probabilities of {formula}")
    for place in range(min(3, table.n_rows)):
        told = wanted[place]
        if told is not None:
            each = model.explain(table.row(place))
            said_of = each.score, float(each.probability or 0)
            case.same(said_of, told[:2], f"explanation of row {place}: {formula}")
    file = case.path("table.csv")
    written = write_csv(table, file, draw)
    said = command("predict", str(counted.drawn.path), str(file), "--risk", "--json", "--unknown", "skip")
    if case.same(said.code, 0, f"predict --risk: {said.err[:300]}"):
        again = [tuple(row.values())[3:] for row in strict_json(said.out)]
        rows = [counted.told(written.row(at)) for at in range(written.n_rows)]
        case.same([None if told[0] is None else told for told in again], rows, f"predict --risk of {formula}")
