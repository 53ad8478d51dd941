"""Table 3: rows, features and classes, counted."""

from crystalogic.datasets import MISSING, load, load_test
from research.paper.claims import Claim
from research.paper.results import Results
from research.paper.tables import ENRICHED, paper_table
from research.paper.verdict import Evidence, check, judged, proved


@check
def training_rows(claim: Claim, results: Results) -> Evidence:
    return _rows(claim, 0)


@check
def test_rows(claim: Claim, results: Results) -> Evidence:
    return _rows(claim, 1)


def _rows(claim: Claim, part: int) -> Evidence:
    found = len(paper_table(claim.row, 0, drop_incomplete=False)[part].rows)
    if claim.row == ENRICHED:
        there = len(load("mushroom").rows)
        reason = f"the UCI table has {there:,} rows; with a half-valued copy of each edible row it has {_enriched():,}"
        return proved(found == claim.number, f"{found:,}", reason)
    return judged(abs(found - claim.number) <= 1, str(found), "counted in our 80/20 split or the donors' own")


def _enriched() -> int:
    return sum(len(part.rows) for part in paper_table(ENRICHED, 0))


@check
def mushroom_size(claim: Claim, results: Results) -> Evidence:
    there = len(load("mushroom").rows)
    return proved(there >= claim.number, f"{there:,}", f"UCI has {there:,} rows, fewer than {claim.number:,.0f}")


@check
def n_features(claim: Claim, results: Results) -> Evidence:
    found = len(paper_table(claim.row, 0)[0].names)
    if claim.row == ENRICHED:
        table = load("mushroom")
        codes = [len(set(table.column(name))) for name in table.columns]
        once = sum(count if count > 2 else count - 1 for count in codes)
        return judged(
            once == claim.number,
            f"{found}, or {once} with two-valued columns written once",
            "one input per value counted over all columns; a two-valued column may be one input, a constant none",
        )
    return judged(found == claim.number, str(found), "inputs of the paper's encoding, counted")


@check
def majority_share(claim: Claim, results: Results) -> Evidence:
    parts = (paper_table(claim.row, 0, drop_incomplete=False)) if claim.row != ENRICHED else paper_table(claim.row, 0)
    test = load_test(claim.row.removesuffix("-enriched"))
    labels = parts[1].target if test is not None else [*parts[0].target, *parts[1].target]
    share = sum(float(label) for label in labels) / len(labels)
    majority = max(share, 1 - share)
    if claim.number < 0.5:
        reason = "of two classes the larger has at least half; the printed share is that of a smaller class"
        return proved(False, f"{majority:.3f}", reason)
    where = "test rows" if test is not None else "all rows"
    return judged(abs(round(majority, 3) - claim.number) < 5e-4, f"{majority:.3f}", f"counted on {where}")


@check
def heart_encoding(claim: Claim, results: Results) -> Evidence:
    table = load("heart")
    one_hot = sum(len(set(table.column(name)) - {MISSING}) for name in ("cp", "restecg", "slope", "thal"))
    found = 5 + 3 + one_hot + 1
    holds = found == claim.number == len(paper_table("heart", 0)[0].names) and len(table.columns) == 13
    return judged(holds, str(found), f"5 + 3 + {one_hot} + 1 of {len(table.columns)} attributes")


@check
def monk_3_noise(claim: Claim, results: Results) -> Evidence:
    train, test = load("monks-3"), load_test("monks-3")
    assert test is not None
    truth = dict(zip(test.rows, test.labels, strict=True))
    wrong = sum(truth[row] != label for row, label in zip(train.rows, train.labels, strict=True))
    share = wrong / len(train.rows)
    reason = (
        "training rows whose label contradicts the concept; the donors call it misclassification, not attribute noise"
    )
    return judged(round(share, 2) == claim.number, f"{wrong} of {len(train.rows)} labels ({share:.1%})", reason)


@check
def number_of_monks(claim: Claim, results: Results) -> Evidence:
    from crystalogic.datasets import NAMES

    found = sum(name.startswith("monks-") for name in NAMES)
    return proved(found == claim.number, str(found), "the paper's own Table 3 lists MONK-1, MONK-2 and MONK-3")
