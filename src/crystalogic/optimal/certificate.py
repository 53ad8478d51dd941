"""What was proved, as a document that others can check by counting again: `crystalogic.recount`."""

from crystalogic.arrays import Array, np
from crystalogic.document import seal
from crystalogic.optimal.counted import Counted
from crystalogic.optimal.engine import flag_facts
from crystalogic.optimal.rule import Optimum

KIND, VERSION = "optimum", 1


def certify(counted: Counted, optimum: Optimum) -> str:
    """The rows, the question and the answer as a sealed document; what is not proved is not claimed."""
    question, rule = optimum.question, optimum.rule
    place_of = {own[0]: place for place, own in enumerate(counted.twins)}
    facts = [place_of[fact] if fact >= 0 else ~place_of[~fact] for fact in rule.facts]
    body = {
        "facts": [counted.names[own[0]] for own in counted.twins],
        "flags": flag_facts(counted, question.needs).tolist(),
        "columns": [_hex(column) for column in counted.truth.T],
        "yes": counted.yes.tolist(),
        "no": counted.no.tolist(),
        "size": question.size,
        "shape": question.shape,
        "missed": question.objective.missed,
        "false_alarm": question.objective.false_alarm,
        "is_log_loss": False,  # nor truth tables: the format has room for more than rules with points
        "cost": optimum.cost,
        "bound": optimum.bound,
        "counts": list(optimum.counts) if optimum.is_whole else None,
        "n_sets": optimum.n_sets,
        "rule": {"facts": facts, "points": rule.points, "threshold": rule.threshold, "table": []},
    }
    return seal(KIND, VERSION, body)


def _hex(column: Array) -> str:
    """A column as a number in hexadecimal, the first row as its lowest bit."""
    return f"{int.from_bytes(np.packbits(column, bitorder='little').tobytes(), 'little'):x}"
