"""Every export, run for real, row by row."""

from oracle.case import Case
from oracle.draws import draw_model, draw_table
from oracle.engines import ENGINES, NO_DECISION
from oracle.judge import expected_rows, judge_decision, judge_degrees


def attack(case: Case) -> None:
    """A model and a table, decided by all exports, or in a short run by one of them."""
    drawn = draw_model(case.draw, case.folder, graded=case.draw.random() < 0.5)
    for name in [case.draw.choice(sorted(ENGINES))] if case.is_quick else sorted(ENGINES):
        table = draw_table(drawn, case.draw, 16, mixed=name not in ("duckdb",), refusals=0.5)
        wanted = expected_rows(drawn.rule, table)
        answers = ENGINES[name](drawn, table, case.folder, case.draw)
        for place, (answer, each) in enumerate(zip(answers, wanted, strict=True)):
            if answer is None:
                continue
            what = f"{name}: row {place} {table.row(place)} {table.storage}: {drawn.model}"
            if each.degrees is None:
                case.same(answer[0], NO_DECISION, f"{what}: must have no decision")
            else:
                judge_decision(case, answer[0], each, what, exactly=False)
                judge_degrees(case, answer[1], each, what) if answer[1] else None
