"""Certificates: what the checker accepts is one function on all rows of the model; what was changed is refused."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from crystalogic.crystal import Crystal, Neuron
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.errors import CrystalogicError
from crystalogic.logic.parse import parse
from crystalogic.model import Model
from crystalogic.verify.certificate import Certificate
from oracle.attacks.predict import frames
from oracle.case import Case
from oracle.draws import LARGE, Drawn, draw_column, draw_formula, draw_model, draw_table, model_with
from oracle.rules import rule_of


def attack(case: Case) -> None:
    """A model that is right, and forgeries of it."""
    kind = case.draw.choice(["formula", "formula", "crystal", "scope"])
    if kind == "scope":
        scope(case)
        return
    drawn = draw_model(case.draw, case.folder)
    drawn.model.check()
    forged = other_formula(case, drawn) if kind == "formula" else other_crystal(case, drawn)
    if forged is None:
        return
    try:
        forged.check()
        reread = Model.from_json(forged.to_json())
        reread.check()
    except CrystalogicError:
        case.n_compared += 1
        return
    agree(case, forged, draw_table(drawn, case.draw, 40, refusals=0.0), kind)


def other_formula(case: Case, drawn: Drawn) -> Model | None:
    """The model with a formula that was changed a little."""
    place = case.draw.randrange(len(drawn.model.formulas))
    text = str(drawn.model.formulas[place])
    swaps = [("⊗", "∧"), ("⊕", "∨"), ("¬", ""), ("≥", "≥"), ("1 of", "2 of"), ("2 of", "3 of"), ("→", "↔"), ("∧", "⊗")]
    old, new = case.draw.choice(swaps)
    changed = (
        text.replace(old, new, 1) if case.draw.random() < 0.7 else draw_formula(drawn.model.encoding.names, case.draw)
    )
    try:
        formula = parse(changed)
    except CrystalogicError:
        return None
    formulas = [*drawn.model.formulas[:place], formula, *drawn.model.formulas[place + 1 :]]
    return replace(drawn.model, written=tuple(formulas))


def other_crystal(case: Case, drawn: Drawn) -> Model | None:
    """The model with a weight or bias that was changed."""
    content = json.loads(json.dumps(drawn.model.crystal.content()))
    if not content["neurons"]:
        return None
    neuron = case.draw.choice(content["neurons"])
    if neuron["weights"] and case.draw.random() < 0.6:
        place = case.draw.randrange(len(neuron["weights"]))
        neuron["weights"][place] += case.draw.choice([-2, -1, 1, 2])
    else:
        neuron["bias"] += case.draw.choice([-1, 1])
    try:
        return replace(drawn.model, crystal=Crystal.from_content(content))
    except CrystalogicError:
        return None


def agree(case: Case, model: Model, table: Any, what: str) -> None:
    """Formulas and crystal on encoded rows, one by one."""
    rule = rule_of(model.to_json())
    for place in range(table.n_rows):
        row = {**table.row(place)}
        try:
            values = model.truth_row(row, unknown="false")
        except CrystalogicError:
            continue
        degrees = [formula.degree({name: values[name] for name in formula.names}) for formula in rule.formulas]
        run = model.crystal.run({name: values.get(name, Fraction(0)) for name in model.crystal.inputs})
        case.same(list(run), degrees, f"{what}: {model} was certified; at {row} the crystal differs")


def scope(case: Case) -> None:
    """A crystal that is 1 where two facts of a column are true at once, certified as 0: no cell may be such."""
    draw = case.draw
    column = _large(draw) if draw.random() < 0.7 else draw_column("c", draw)
    values = [each.name for each in column.literals if isinstance(each, Is)]
    if len(values) < 2:
        return
    one, other = draw.sample(values, 2)
    encoding = Encoding((column,))
    crystal = Crystal([one, other], [Neuron([0, 1], [1, 1], -1)], [2])
    formulas = (parse("0"),)
    drawn = model_with(draw, case.folder, encoding, ("no", "yes"))
    table = draw_table(drawn, draw, 60, refusals=1.0)
    try:
        certificate = _certified(crystal, formulas, encoding)
        forged = Model("y", ("no", "yes"), (0, 1), encoding, crystal, formulas, certificate)
        forged.check()
    except CrystalogicError:
        case.n_compared += 1
        return
    for how, rows in (("mapping", table.cells), *frames(table)):
        try:
            found = encoding.transform(rows, [one, other], dtype="float64", refuse_missing=False)
        except CrystalogicError:
            continue
        for place, (x, y) in enumerate(found.tolist()):
            case.expect(
                x + y <= 1, f"{how}: {one!r} and {other!r} are certified to exclude each other, and {table.row(place)}"
            )


def _large(draw: Any) -> Column:
    middle = draw.choice(LARGE)  # with neighbours that are one double
    levels = [str(each) for each in sorted({middle, middle + 1, middle + draw.choice([-1, 2, 7]), draw.choice(LARGE)})]
    return Column("c", "category", tuple(Is("c", level) for level in levels), tuple(levels))


def _certified(crystal: Crystal, formulas: Any, encoding: Encoding) -> Certificate:
    from crystalogic.verify.certificate import certify

    return certify(crystal, formulas, encoding.domain.restrict(crystal.inputs))
