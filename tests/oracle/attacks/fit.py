"""Fits: what was declared holds of every row, what tells the classes apart is found, rows of no weight are absent."""

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import crystalogic as cl
from crystalogic.encoding import fit_encoding
from crystalogic.errors import CrystalogicError
from oracle.case import Case
from oracle.cells import double, is_missing, meaning
from oracle.commands import command
from oracle.draws import CODES, LARGE, WHOLE, Table, level_spelling
from oracle.files import write_csv
from oracle.rules import Refused, Rule, load, rule_of
from oracle.scopes import known_values

MOST_ROWS = 300
SIZES = ("small", "medium", "large")


def attack(case: Case) -> None:
    """One of several things that a fit promises."""
    {"promises": promises, "levels": levels, "weights": weights, "command": by_command}[
        case.draw.choice(["promises", "promises", "promises", "levels", "levels", "weights", "command"])
    ](case)


def quick(**limits: Any) -> Any:
    """A search that is short and always the same."""
    return cl.Annealing(effort=0.05, folds=2, repeats=0, **limits)


def draw_frame(draw: Random, n_rows: int) -> dict[str, Any]:
    """Columns of several kinds that a fit reads by itself."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in ("a", "b", "c", "d")[: draw.randint(2, 4)]:
        kind = draw.choice(["number", "number", "whole", "code", "ordinal", "category", "gaps"])
        if kind == "number":
            columns[name] = [round(draw.uniform(-3, 3), 2) for _ in range(n_rows)]
        elif kind in ("whole", "gaps"):
            whole = [float(draw.randrange(10)) for _ in range(n_rows)]
            columns[name] = [math.nan if kind == "gaps" and draw.random() < 0.1 else each for each in whole]
        elif kind == "code":
            columns[name] = [draw.randrange(1, 5) for _ in range(n_rows)]
        else:
            texts = [draw.choice(SIZES) for _ in range(n_rows)]
            is_ordered = kind == "ordinal"
            columns[name] = pd.Categorical(texts, categories=list(SIZES), ordered=True) if is_ordered else texts
    return columns


def draw_target(columns: dict[str, Any], draw: Random, n_rows: int) -> list[str]:
    """Classes that rise with some columns, with a little noise, or pure noise."""
    if draw.random() < 0.2:
        return [draw.choice(["no", "yes"]) for _ in range(n_rows)]
    facts = []
    for cells in columns.values():
        values = list(cells)
        order = sorted({str(each): each for each in values}.values(), key=_rank)
        cut = _rank(order[draw.randrange(len(order))])
        facts.append([_rank(each) >= cut for each in values])
    first, *rest = draw.sample(facts, len(facts))
    found = []
    for row in range(n_rows):
        is_true = first[row] or (bool(rest) and all(each[row] for each in rest))
        found.append("yes" if is_true != (draw.random() < 0.03) else "no")
    return found if min(found.count("yes"), found.count("no")) > 3 else ["no", "yes"] * (n_rows // 2)


def _rank(cell: Any) -> tuple[int, Any]:
    if isinstance(cell, str):
        return 1, SIZES.index(cell) if cell in SIZES else cell
    return (0, -math.inf) if cell != cell else (1, cell)


def promises(case: Case) -> None:
    """Directions, forbidden and required facts, sizes, kept by the rule that comes out."""
    import pandas as pd

    draw, n_rows = case.draw, case.draw.choice([40, 80])
    columns = draw_frame(draw, n_rows)
    frame, target = pd.DataFrame(columns), draw_target(columns, draw, n_rows)
    ordered = [name for name in columns if not isinstance(columns[name][0], str) or hasattr(columns[name], "codes")]
    against = draw.random() < 0.5  # what the table shows
    directions = {name: -1 if against else draw.choice([-1, 1]) for name in ordered if draw.random() < 0.8}
    names = list(fit_encoding(frame).names)
    required = [draw.choice(names)] if draw.random() < 0.4 else []
    needed = {name for each in required for name in columns if each.startswith(name)}
    forbidden = [name for name in columns if name not in needed and draw.random() < 0.2][: len(columns) - 1]
    most = draw.randint(1, 5)
    settings: dict[str, Any] = {"monotone": directions, "forbidden": forbidden, "required": required}
    positive = draw.choice([None, None, "no"])
    try:
        learner = cl.LukasiewiczClassifier(
            quick(max_literals=most), positive=positive, random_state=draw.randrange(99), **settings
        )
        learner.fit(frame, target)
    except CrystalogicError:
        case.n_compared += 1
        return
    path = case.folder / "model.json"
    learner.save(path)
    rule = load(path)
    what = f"{learner.model_} of {settings}, at most {most}"
    case.same(rule.formulas[0].size <= most, True, f"{what}: size")
    case.expect(not set(forbidden) & {*rule.reads, *rule.names}, f"{what}: forbidden")
    case.expect(set(required) <= set(rule.names), f"{what}: required")
    case.same(rule.classes, ("yes", "no") if positive == "no" else ("no", "yes"), f"{what}: classes")
    for name, sign in directions.items():
        judge_direction(case, rule, name, sign, what)
    rereads(case, path, frame, learner, what)


def judge_direction(case: Case, rule: Rule, column: str, sign: int, what: str) -> None:
    """More of the column never means less of the second class, or never more, whatever the other columns are."""
    if column not in rule.reads:
        return
    choices = {name: [*known_values(rule, name, case.draw), *_gap(rule, name)] for name in rule.reads if name != column}
    values = known_values(rule, column, case.draw)
    if any(not each for each in choices.values()):
        return
    for row in some(list(choices.values()), case.draw):
        before = dict(zip(choices, row, strict=True))
        degrees = [rule.degrees({**before, column: value})[0] for value in values]
        decisions = [degree >= Fraction(1, 2) for degree in degrees]
        in_order = sorted(decisions, reverse=sign < 0)
        case.expect(decisions == in_order, f"{what}: {before}, {column} rising gives {decisions}")


def _gap(rule: Rule, name: str) -> list[None]:
    return [None] if rule.columns[name].has_missing else []


def some(values: Sequence[Sequence[Any]], draw: Random) -> list[tuple[Any, ...]]:
    """All combinations, or some of them."""
    if math.prod(map(len, values)) <= MOST_ROWS:
        return list(product(*values))
    return [tuple(draw.choice(each) for each in values) for _ in range(MOST_ROWS)]


def rereads(case: Case, path: Path, frame: Any, learner: Any, what: str) -> None:
    """The file is read again, checked, and says what the learner and the oracle say."""
    model = cl.load(path)
    model.check()
    rule = load(path)
    fitted, again = list(learner.predict(frame)), list(model.predict(frame))
    case.same([str(each) for each in again], [str(each) for each in fitted], f"{what}: read again")
    likely = [str(learner.classes_[place]) for place in learner.predict_proba(frame).argmax(axis=1)]
    case.same(likely, [str(each) for each in fitted], f"{what}: predict_proba")
    for place in range(len(frame)):
        row = {name: frame[name].iloc[place] for name in frame.columns}
        case.same(str(fitted[place]), str(rule.decision(row)), f"{what}: {row}")


def levels(case: Case) -> None:
    """Levels in all their spellings: each is known to the encoding, and one that tells the classes apart is found."""
    import pandas as pd

    draw = case.draw
    pool: list[Any] = list(
        draw.choice([CODES[:6], CODES[:4], WHOLE, LARGE, ("True", "False"), ("red", "Red", "b"), (*CODES[:3], "7")])
    )
    chosen = [str(each) for each in draw.sample(pool, min(len(pool), draw.randint(2, 5)))]
    cells = [level_spelling(draw.choice(chosen), draw) for _ in range(80)]
    if draw.random() < 0.4:
        cells = [draw.choice(["NA", "?", "", " "]) if draw.random() < 0.1 else cell for cell in cells]
    if (
        draw.random() < 0.3
        and not any(map(is_missing, cells))
        and all(text.lstrip("-").isdigit() and text[0] != "0" for text in chosen)
    ):
        typed: list[Any] = [int(double(cell)) if abs(double(cell)) < 2**53 else int(cell) for cell in cells]
    else:
        typed = cells
    picked = meaning(draw.choice(chosen), frozenset())
    target = ["yes" if meaning(cell) == picked else "no" for cell in typed]
    if len(set(target)) < 2:
        return
    frame = pd.DataFrame(
        {
            "code": pd.Series(typed, dtype=object if typed is cells else "int64"),
            "n": [draw.randrange(50) for _ in cells],
        }
    )
    path = case.folder / "model.json"
    if draw.random() < 0.5 and typed is cells:
        table = Table(
            {"code": cells, "n": [str(n) for n in frame["n"]], "y": target}, dict.fromkeys(("code", "n", "y"), "text")
        )
        write_csv(table, case.folder / "t.csv", draw)
        from crystalogic.files import open_table

        frame = open_table("t.csv").read().drop(columns="y")
    learner = cl.LukasiewiczClassifier(quick(max_literals=2)).fit(frame, target)
    learner.save(path)
    rule = load(path)
    column = rule.columns["code"]
    what = f"{column.kind} {column.known} of {sorted(set(map(str, typed)))}, {learner.model_}"
    present = {meaning(cell) for cell in typed} - {None}
    if column.kind in ("code", "category"):
        case.same({meaning(level, frozenset()) for level in column.known}, present, f"{what}: levels")
    case.same(column.has_missing, any(is_missing(cell) for cell in typed), f"{what}: missing")
    if column.kind != "number" and column.kind != "left out":
        wrong = [cell for cell, label in zip(typed, target, strict=True) if rule_says(rule, cell, frame) != label]
        case.same(wrong[:3], [], f"{what}: does not tell {picked}")
        case.same(list(learner.predict(frame)), target, f"{what}: predictions")


def rule_says(rule: Rule, cell: Any, frame: Any) -> Any:
    """What the rule says of a cell, if it reads no other column."""
    try:
        return rule.decision({"code": cell, "n": "25"})
    except Refused:
        return None


def weights(case: Case) -> None:
    """A row of weight 0 is as good as absent, whatever frame it comes in."""
    import pandas as pd

    draw, n_rows = case.draw, 40
    columns = draw_frame(draw, n_rows)
    frame, target = pd.DataFrame(columns), draw_target(columns, draw, n_rows)
    weight = [draw.choice([0, 1, 1, 1]) for _ in range(n_rows)]
    kept = [place for place in range(n_rows) if weight[place]]
    some_target = [target[place] for place in kept]
    if len(set(some_target)) < 2:
        return
    settings = {"strategy": quick(max_literals=3), "random_state": 1}
    found = []
    for rows, labels, given in (
        (frame, target, weight),
        (frame.iloc[kept].reset_index(drop=True), some_target, [1] * len(kept)),
    ):
        try:
            learner = cl.LukasiewiczClassifier(**settings).fit(rows, labels, sample_weight=given)
        except CrystalogicError as error:
            found.append(str(error))
            continue
        body = json.loads(learner.model_.to_json())
        found.append(json.dumps([body["formulas"], body["encoding"], body["classes"], body["order"]]))
    case.same(found[0], found[1], f"weights of 0 in {[str(frame[name].dtype) for name in frame]}")


def by_command(case: Case) -> None:
    """`fit` on the command line: the file that it writes, and what `predict` says of the same table."""
    draw, n_rows = case.draw, 60
    columns = {name: [str(each) for each in cells] for name, cells in draw_frame(draw, n_rows).items()}
    target = draw_target(columns, draw, n_rows)
    table = Table({**columns, "y": target}, dict.fromkeys([*columns, "y"], "text"))
    written = write_csv(table, case.folder / "t.csv", draw)
    said = command(
        "fit", "t.csv", "--target", "y", "--quiet", "--output", "m.json", "--time", "0.5", "--max-literals", "3"
    )
    if not case.same(said.code, 0, f"fit: {said.err}: exit code"):
        return
    rule = rule_of((case.folder / "m.json").read_text(encoding="utf-8"))
    case.same(command("verify", "m.json").code, 0, "verify: exit code")
    from oracle.judge import judge_command

    judge_command(case, command("predict", "m.json", "t.csv"), rule, written, f"{rule}", as_json=False)
