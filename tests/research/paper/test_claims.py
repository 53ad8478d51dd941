"""Every claim has a verdict, every verdict a computation, and the rules say what they should."""

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_up_results import made_up
from research.paper.checks import CHECKS
from research.paper.checks.training import distortion, survival_threshold
from research.paper.claims import Claim, label, load_claims
from research.paper.page import latex_table, latex_tables, page, summary_text
from research.paper.reproduce import judge
from research.paper.verdict import Verdict, agrees, fisher, is_mean_of_counts, wilcoxon
from research.paper.write import write_reproduction


@pytest.fixture(scope="module")
def found():
    return judge(made_up())


def verdict_of(found, id):
    return next(evidence for claim, evidence in found.evidence if claim.id == id)


def test_every_claim_names_a_check_and_every_check_has_a_claim():
    assert {claim.check for claim in load_claims()} == set(CHECKS)


def test_claims_hold_no_verdict():
    """Only what the paper says and where may stand in claims.toml."""
    assert set(vars(load_claims()[0])) == {"id", "place", "says", "check", "value", "row", "column"}
    for claim in load_claims():
        assert not any(verdict.value in claim.says for verdict in (Verdict.DIFFERS, Verdict.IMPOSSIBLE)), claim.id


def test_the_tables_of_the_paper_are_there_cell_by_cell():
    counted = {}
    for claim in load_claims():
        counted[claim.place] = counted.get(claim.place, 0) + 1
    assert counted["Table 4"] == 3 * 18
    assert counted["Table 7"] == 2 * 18
    assert counted["Table 5"] == 18
    assert counted["Table 3"] == 4 * 6 + 1
    assert counted["Table 2"] == 9


def test_a_claim_of_a_cell_reads_as_a_sentence():
    claim = next(claim for claim in load_claims() if claim.id == "accuracy/monks-3/levenberg_marquardt")
    assert claim.says == "mean accuracy of LM-Res on MONK-3 is 0.714"
    assert label("straight_through>proximal") == "STE over Proximal"


def test_every_claim_gets_a_verdict_with_a_figure_and_a_reason(found):
    assert len(found.evidence) == len(load_claims())
    for claim, evidence in found.evidence:
        assert evidence.reproduced, claim.id
        assert evidence.reason, claim.id
    assert sum(found.counts().values()) == len(found.evidence)


def test_measured_verdicts_follow_the_measurements():
    """The same claim holds or differs with the results it is given: nothing is typed in."""
    claim = Claim("x", "Table 4", "…", "mean_accuracy", 0.671, "monks-2", "proximal")
    near, far = (CHECKS["mean_accuracy"](claim, made_up(accuracy)).verdict for accuracy in (0.671, 0.9))
    assert (near, far) == (Verdict.HOLDS, Verdict.DIFFERS)


def test_arithmetic_verdicts_follow_the_printed_numbers(found):
    assert verdict_of(found, "heart-accuracy").verdict is Verdict.IMPOSSIBLE
    claim = next(claim for claim in load_claims() if claim.id == "heart-accuracy")
    possible = CHECKS[claim.check](replace(claim, value=0.787), found.results)
    assert possible.verdict is Verdict.HOLDS
    ratio = next(claim for claim in load_claims() if claim.id == "proximal-5.5")
    meant = replace(ratio, column="proximal>levenberg_marquardt")
    assert CHECKS["speed_ratio"](meant, found.results).verdict is not Verdict.IMPOSSIBLE


def test_mathematics_has_these_verdicts(found):
    proved = ["proposition-1-and", "proposition-1-or", "de-morgan", "residuum", "closed", "potential-zeros"]
    refuted = ["upsilon-limit", "lambda-limit", "theorem-1-all", "levenberg-bound", "threshold-distortion"]
    assert {verdict_of(found, id).verdict for id in proved} == {Verdict.HOLDS}
    assert {verdict_of(found, id).verdict for id in refuted} == {Verdict.IMPOSSIBLE}
    assert survival_threshold() == pytest.approx(0.7242, abs=1e-4)
    assert min(distortion(k / 100) for k in range(101)) == distortion(0.5)


def test_a_wrong_trace_would_be_found(found):
    claim = next(claim for claim in load_claims() if claim.id == "trace/¬oldpeak/A")
    assert CHECKS["trace_value"](claim, found.results).verdict is Verdict.HOLDS
    assert CHECKS["trace_value"](replace(claim, value="0.59"), found.results).verdict is Verdict.IMPOSSIBLE


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_every_real_rate_is_a_rate(pair):
    count, n = pair
    assert is_mean_of_counts(round(count / n, 3), n, 1)


def test_rates_that_no_count_gives_are_seen():
    assert not is_mean_of_counts(0.850, 61, 1)
    assert not is_mean_of_counts(0.833, 37, 1)
    assert not is_mean_of_counts(0.632, 58, 1)
    assert is_mean_of_counts(0.875, 24, 1)


def test_the_rules_of_comparison():
    assert agrees(0.6, 0.0, [0.6, 0.6])[0]
    assert not agrees(0.6, 0.0, [0.7, 0.7])[0]
    assert agrees(0.6, 0.3, [0.7, 0.7])[0]
    assert fisher(5, 10, 5, 10) == 1
    assert wilcoxon(range(1, 11), [0] * 10) == 2 / 1024
    assert wilcoxon(range(1, 11), [0] * 10, "greater") == 1 / 1024


def test_the_text_shows_paper_reproduced_ours_and_verdict(found):
    text = summary_text(found)
    assert "  ✓ x ⊕ y = ¬(¬x ⊗ ¬y): reproduced proved: holds\n" in text
    wanted = "  ✗ the LM system"  # not this one: a measurement
    assert wanted not in text
    assert (
        "  ✗ ‖Δw‖ ≤ ‖e‖/μ for the Levenberg step: reproduced 1/8 > 1/16: impossible as printed\n"
        "      μ = 16, J = 4, e = 1: the step is 1/8, the bound 1/16; "
    ) in text
    counts = found.counts()
    assert text.endswith(
        f"{len(found.evidence)} claims: {counts['holds']} holds, {counts['differs']} differs, "
        f"{counts['impossible as printed']} impossible as printed"
    )


def test_the_page_says_that_a_quick_run_is_quick(found):
    text = page(found)
    assert "This was a quick run" in text
    assert "| **impossible as printed** |" in text
    for line in text.splitlines():
        if line.startswith("| "):
            assert line.endswith(" |"), line


def test_latex_is_escaped_and_has_the_columns():
    text = latex_table(["data", "learner", "paper"], [["MONK-3", "f₁", "97.2 % ± .1 & λ"]])
    assert text == (
        "\\begin{tabular}{llr}\n\\toprule\ndata & learner & paper \\\\\n\\midrule\n"
        "MONK-3 & f$_1$ & 97.2 \\% $\\pm$ .1 \\& $\\lambda$ \\\\\n\\bottomrule\n\\end{tabular}\n"
    )


def test_latex_tables_have_no_symbol_that_latex_does_not_know(found):
    for name, text in latex_tables(found).items():
        strange = {letter for letter in text if ord(letter) > 127 and letter not in "é"}
        assert not strange, (name, strange)


def test_everything_is_written(found, tmp_path):
    written = write_reproduction(found, tmp_path, figures=True)
    assert all(path.stat().st_size > 100 for path in written)
    names = {path.relative_to(tmp_path).as_posix() for path in written}
    assert {"report.md", "claims.csv", "trials.csv", "fronts.csv", "tables/accuracy.tex"} <= names
    assert {f"figures/{name}.{kind}" for name in ("accuracy", "rounding", "front") for kind in ("svg", "png")} <= names
    rows = list(csv.DictReader(io.StringIO((tmp_path / "claims.csv").read_text(encoding="utf-8"))))
    assert len(rows) == len(found.evidence)
    trials = list(csv.DictReader(io.StringIO((tmp_path / "trials.csv").read_text(encoding="utf-8"))))
    assert len(trials) == len(found.results.records)
    assert {"kind", "data", "learner", "variant", "seed", "accuracy", "seconds"} <= set(trials[0])
