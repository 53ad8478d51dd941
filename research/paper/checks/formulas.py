"""Section 5.5: the printed formulas, their networks, their traces and their accuracies."""

from fractions import Fraction
from statistics import fmean

import numpy as np

from crystalogic.crystal import Crystal, Neuron
from crystalogic.datasets import Dataset, load, load_test
from crystalogic.errors import CertificateError
from crystalogic.logic.domain import Domain
from crystalogic.logic.formula import Formula
from crystalogic.logic.parse import parse
from crystalogic.symbolic.extract import Kind, extract
from crystalogic.verify.certificate import Certificate, certify
from crystalogic.verify.questions import equivalent
from research.paper.claims import Claim, label
from research.paper.results import Results
from research.paper.settings import DATA, STRATEGIES
from research.paper.tables import paper_table
from research.paper.verdict import Evidence, check, is_mean_of_counts, judged, mean_text, proved

# Attributes of MONK: a2 is body_shape (3: octagon), a4 is holding (1: sword), a5 is jacket_color (3: green, 4: blue).
MONK_3 = "¬({a2=3} ⊕ {a5=4})"
MONK_3_CONCEPT = "({a5=3} ⊗ {a4=1}) ∨ (¬{a5=4} ⊗ ¬{a2=3})"
N1 = "¬trestbps ⊗ ¬oldpeak ⊗ ¬ca"
N5 = "thalach ⊗ ¬ca ⊗ ¬{cp=4}"
HEART = f"¬({N1}) ⊗ ¬({N5})"
INPUTS = ("trestbps", "oldpeak", "ca", "thalach", "cp=4")
NEURON_1 = Neuron([0, 1, 2], [-1, -1, -1], 1)
NEURON_5 = Neuron([3, 2, 4], [1, -1, -1], 0)
OUTPUT = Neuron([5, 6], [-1, -1], 1)
PATIENTS = {
    "A": {"ca": "1.00", "trestbps": "0.64", "oldpeak": "0.42", "thalach": "0.29", "cp=4": "1"},
    "B": {"ca": "0.00", "trestbps": "0.27", "oldpeak": "0.00", "thalach": "0.79", "cp=4": "0"},
}


def _said(formula: Formula, table: Dataset) -> list[bool]:
    """Whether a formula over truth values `column=code` is 1, for each row."""
    said = []
    for row in table.rows:
        there = {f"{column}={code}" for column, code in zip(table.columns, row, strict=True)}
        said.append(formula.evaluate({name: int(name in there) for name in formula.variables}) == 1)
    return said


def _monk_3_errors() -> tuple[int, int]:
    test = load_test("monks-3")
    assert test is not None
    said = _said(parse(MONK_3), test)
    return sum(one != bool(other) for one, other in zip(said, test.labels, strict=True)), len(test.rows)


@check
def monk_3_accuracy(claim: Claim, results: Results) -> Evidence:
    wrong, n_rows = _monk_3_errors()
    share = 1 - wrong / n_rows
    search = [record["accuracy"] for record in results.cell("search", "monks-3", "annealing")]
    reason = "read with octagon and blue, the values that make it so"
    ours = f"search {mean_text(search)}" if search else ""
    return judged(round(share, 3) == claim.number, f"{n_rows - wrong}/{n_rows} = {share:.3f}", reason, ours)


@check
def monk_3_errors(claim: Claim, results: Results) -> Evidence:
    """Noise would be test rows whose label contradicts the concept; the errors are counted among them."""
    wrong, n_rows = _monk_3_errors()
    test = load_test("monks-3")
    assert test is not None
    clause = parse("{a5=3} ⊗ {a4=1} ⊗ {a2=3}")
    missing = sum(_said(clause, test))
    noisy = sum(
        bool(said) != bool(truth) for said, truth in zip(_said(parse(MONK_3_CONCEPT), test), test.labels, strict=True)
    )
    reason = (
        f"{noisy} test labels contradict the concept; the {wrong} errors are the {missing} green octagons with a sword"
    )
    return proved(noisy == wrong, f"{wrong}/{n_rows} = {wrong / n_rows:.3f}", reason)


@check
def monk_3_truth(claim: Claim, results: Results) -> Evidence:
    wrong, n_rows = _monk_3_errors()
    return proved(wrong == 0, f"{wrong} of {n_rows} rows differ", "compared with the concept on the whole domain")


@check
def monk_3_idempotent(claim: Claim, results: Results) -> Evidence:
    doubled, plain = parse("¬((a ⊕ b) ⊗ (a ⊕ b))"), parse("¬(a ⊕ b)")
    on_booleans, elsewhere = equivalent(doubled, plain, Domain(["a", "b"])), equivalent(doubled, plain)
    row = ", ".join(f"{name} = {value}" for name, value in (elsewhere.counterexample or {}).items())
    reason = f"proved for Boolean inputs; on [0,1] it fails at {row}"
    return proved(bool(on_booleans), on_booleans.verdict.value, reason)


@check
def monk_3_network(claim: Claim, results: Results) -> Evidence:
    """Projection and inner neuron a ⊕ b, the merge neuron with bias -1, and the negation at the output."""
    either = Neuron([0, 1], [1, 1], 0)
    crystal = Crystal(["a", "b"], [either, either, Neuron([3, 2], [1, 1], -1), Neuron([4], [-1], 1)], [5])
    extraction = extract(crystal)
    outside = [reading for reading in extraction.readings if reading.kind is Kind.THRESHOLD]
    found = _certified(crystal, "¬((a ⊕ b) ⊗ (a ⊕ b))")
    shown = ", ".join(reading.kind.value for reading in extraction.readings)
    return proved(not outside and found is not None, shown, "read neuron by neuron and certified on [0,1]²")


@check
def denser_than_lm(claim: Claim, results: Results) -> Evidence:
    literals = {name: fmean(results.paper(claim.row, name, "literals")) for name in STRATEGIES}
    outside = {name: fmean(results.paper(claim.row, name, "outside_proposition")) for name in STRATEGIES}
    shown = ", ".join(f"{label(name)} {literals[name]:.1f} links, {outside[name]:.1f} outside" for name in STRATEGIES)
    others = STRATEGIES[1:]
    holds = all(literals[name] > literals[STRATEGIES[0]] and outside[name] > 0 for name in others)
    return judged(holds, shown, "mean links of live neurons, and mean neurons outside Proposition 1")


@check
def monk_3_attributes(claim: Claim, results: Results) -> Evidence:
    table = load("monks-3")
    counts = {name: len(set(table.column(name))) for name in ("a2", "a5")}
    words = {"a2": "body_shape", "a5": "jacket_color"}
    shown = ", ".join(f"{words[name]} has {count} values" for name, count in counts.items())
    reason = (
        "an attribute of more than two values is no truth value; body_shape=octagon and jacket_color=blue are meant"
    )
    return proved(all(count <= 2 for count in counts.values()), shown, reason)


@check
def best_trial(claim: Claim, results: Results) -> Evidence:
    best = max(results.paper(claim.row, claim.column, "accuracy"))
    return judged(best >= claim.number - 5e-4, f"{best:.3f}", "the best of the trials")


@check
def only_representable(claim: Claim, results: Results) -> Evidence:
    found = {(data, name): sum(results.paper(data, name, "is_readable")) for data in DATA for name in STRATEGIES}
    shown = ", ".join(f"{label(name)} on {label(data)} {count}" for (data, name), count in found.items() if count)
    elsewhere = sum(count for cell, count in found.items() if cell != ("monks-3", "levenberg_marquardt"))
    reason = "crystals that read some input and have no neuron outside Proposition 1"
    return judged(elsewhere == 0 and found["monks-3", "levenberg_marquardt"] > 0, shown or "none", reason)


def _certified(crystal: Crystal, formula: str) -> Certificate | None:
    try:
        return certify(crystal, parse(formula))
    except CertificateError:
        return None


@check
def heart_part(claim: Claim, results: Results) -> Evidence:
    crystals = {
        "n1": (Crystal(INPUTS, [NEURON_1], [5]), N1),
        "n5": (Crystal(INPUTS, [NEURON_5], [5]), N5),
        "output": (Crystal(["n1", "n5"], [Neuron([0, 1], [-1, -1], 1)], [2]), "¬n1 ⊗ ¬n5"),
        "whole": (Crystal(INPUTS, [NEURON_1, NEURON_5, OUTPUT], [7]), HEART),
    }
    crystal, formula = crystals[claim.row]
    found = _certified(crystal, formula)
    return proved(found is not None, "proved" if found else "refuted", "certificate over all of [0,1]ⁿ")


@check
def heart_n5_bias(claim: Claim, results: Results) -> Evidence:
    negative, positive = (sum(weight == sign for weight in NEURON_5.weights) for sign in (-1, 1))
    bias = NEURON_5.bias
    reason = f"n₅ has n = {negative} negative weights; the condition it meets is b = -p + 1 = {-positive + 1}"
    return proved(bias == negative, f"b = {bias}, n = {negative}", reason)


@check
def trace_value(claim: Claim, results: Results) -> Evidence:
    row = {name: Fraction(value) for name, value in PATIENTS[claim.column].items()}
    formula = parse(claim.row)
    found = formula.evaluate({name: row[name] for name in formula.variables})
    return proved(found == Fraction(str(claim.value)), str(found), "evaluated exactly")


@check
def heart_variables(claim: Claim, results: Results) -> Evidence:
    found, inputs = len(parse(HEART).variables), len(paper_table("heart", 0)[0].names)
    return judged(found == claim.number and inputs == 22, f"{found} of {inputs}", "counted")


def _heart_scores(seed: int) -> dict[str, float]:
    """The printed formula on the test rows of one split, encoded on its training rows."""
    _, test = paper_table("heart", seed)
    names = list(test.names)
    formula = parse(HEART)
    degrees = formula.evaluate({name: test.rows[:, names.index(name)] for name in formula.variables})
    said, ill = np.asarray(degrees) >= 0.5, test.target >= 0.5
    hits, found = int((said & ill).sum()), int(said.sum())
    return {
        "accuracy": float((said == ill).mean()),
        "sensitivity": hits / int(ill.sum()),
        "specificity": int((~said & ~ill).sum()) / int((~ill).sum()),
        "f1": 2 * hits / (found + int(ill.sum())),
    }


@check
def heart_rate(claim: Claim, results: Results) -> Evidence:
    scores = [_heart_scores(seed)[claim.row] for seed in range(20)]
    shown = f"{mean_text(scores)} on 20 random splits"
    search = [record["accuracy"] for record in results.cell("search", "heart", "annealing")]
    ours = f"search {mean_text(search)}" if claim.row == "accuracy" and search else ""
    n_rows = {"accuracy": 61, "sensitivity": 24, "specificity": 37}.get(claim.row)
    if n_rows is not None and not is_mean_of_counts(claim.number, n_rows, 1):
        fewer = n_rows - 1
        note = f"; {round(claim.number * fewer)}/{fewer} is" if is_mean_of_counts(claim.number, fewer, 1) else ""
        return proved(False, shown, f"no whole number of {n_rows} patients is {claim.number:.1%}{note}", ours)
    within = min(scores) <= claim.number <= max(scores)
    reason = f"the printed split lies between the least, {min(scores):.3f}, and the greatest, {max(scores):.3f}"
    if not within:
        reason = f"random splits lie between {min(scores):.3f} and {max(scores):.3f}"
    return judged(within, shown, f"{reason}; their mean is {fmean(scores):.3f}", ours)


@check
def selected_in_every_trial(claim: Claim, results: Results) -> Evidence:
    inputs = results.paper(claim.row, "proximal", "inputs")
    used = sum(claim.column in (names or ()) for names in inputs)
    constant = sum(results.paper(claim.row, "proximal", "constant"))
    reason = f"trials whose formula reads {claim.column}; {constant} of {len(inputs)} networks predict one class"
    return judged(used == len(inputs), f"{used} of {len(inputs)}", reason)
