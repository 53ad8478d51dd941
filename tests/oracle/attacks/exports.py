"""Every export, run for real, row by row: class, degrees and, of a rule with a risk, all that the score tells."""

from oracle.case import Case
from oracle.draws import draw_model, draw_points, draw_table
from oracle.engines import ENGINES, NO_DECISION
from oracle.judge import expected_rows, judge_decision, judge_degrees


def attack(case: Case) -> None:
    """A model and a table, decided by all exports, or in a short run by one of them."""
    counted = draw_points(case.draw, case.folder) if case.draw.random() < 0.4 else None
    drawn = counted.drawn if counted else draw_model(case.draw, case.folder, graded=case.draw.random() < 0.5)
    for name in [case.draw.choice(sorted(ENGINES))] if case.is_quick else sorted(ENGINES):
        table = draw_table(drawn, case.draw, 16, mixed=name not in ("duckdb",), refusals=0.5)
        wanted = expected_rows(drawn.rule, table)
        answers = ENGINES[name](drawn, table, case.folder, case.draw)
        for place, (answer, each) in enumerate(zip(answers, wanted, strict=True)):
            if answer is None:
                continue
            what = f"{name}: row {place} {table.row(place)} {table.storage}: {drawn.model}"
            decision, degrees, told = answer
            if each.degrees is None:
                case.same(decision, NO_DECISION, f"{what}: must have no decision")
            else:
                judge_decision(case, decision, each, what, exactly=False)
                judge_degrees(case, degrees, each, what) if degrees else None
                if counted:
                    case.same(told, counted.told(table.row(place)), f"{what}: score, probability, whether to ask")
