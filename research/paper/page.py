"""The reproduction as a Markdown page, as text for the terminal, and as LaTeX tables."""

import re
from collections import Counter

from crystalogic import __version__
from research.paper.claims import Claim
from research.paper.reproduce import Reproduction
from research.paper.summary import (
    STUDIES,
    ablation_rows,
    accuracy_rows,
    p_rows,
    rounding_rows,
    search_rows,
    time_rows,
    truth_table_rows,
)
from research.paper.verdict import Evidence, Verdict
from research.study.markdown import table

FIGURES = {
    "accuracy": "Accuracy on test rows: printed, reproduced, ours, and the lattice search, ± standard deviation.",
    "rounding": "Accuracy on test rows before and after the final rounding, each line one trial.",
    "front": "The front of the lattice search: accuracy against size, mean over the splits; rings are choices.",
    "crystallization": "Share of networks that are crystallized before rounding, and that are constant after it.",
    "blocks": "Residual blocks of LM-Res against crystallization and accuracy.",
    "time": "Seconds to train one network.",
}


def page(found: Reproduction) -> str:
    """The whole reproduction as Markdown."""
    results, plan = found.results, found.results.plan
    counts = ", ".join(f"{count} {name}" for name, count in found.counts().items())
    few = "" if plan.name == "full" else " This was a quick run: too few trials to judge means and p-values by."
    parts = [
        "# The paper, run again",
        f"Written by `make reproduce`, version {__version__}: {len(found.evidence)} claims, {counts}. "
        f"{plan.n_trials} trials for each data set and strategy, {len(plan.jobs):,} experiments.{few}",
        "A claim *holds* when the run agrees with it by the rule that its line states, *differs* when a measurement "
        "does not, and is *impossible as printed* when a proof, a counterexample or the paper's own numbers contradict "
        "it.",
        f"## Accuracy\n\n{_figure('accuracy')}",
        table(*accuracy_rows(results)),
        f"## What rounding costs\n\n{_figure('rounding')}",
        table(*rounding_rows(results)),
        _figure("crystallization"),
        f"## Time\n\n{_figure('time')}",
        table(*time_rows(results)),
        "## Wilcoxon's signed-rank tests\n\nTwo-sided p-values by pairs of trials of the paper's protocol.",
        table(*p_rows(results)),
        "## Truth tables\n\nf₁ = x₁ ⊗ (x₃ → x₆) and f₂ = (x₄ → x₆) ⊗ (x₆ → x₂) on six variables. One network a "
        "trial for the paper's settings, 32 restarts for ours.",
        table(*truth_table_rows(results)),
        f"## The lattice search\n\n{_figure('front')}",
        table(*search_rows(results)),
        f"## Ablations\n\n{_figure('blocks')}\n\nTen networks a split with the paper's settings, one field "
        "changed; means over data sets and splits.",
        *(f"### {title}\n\n{table(*ablation_rows(results, study))}" for study, title in STUDIES.items()),
        "## Every claim",
        *(f"### {place}\n\n{_claims_table(lines)}" for place, lines in _by_place(found).items()),
    ]
    return "\n\n".join(parts) + "\n"


def _figure(name: str) -> str:
    return f"![{FIGURES[name]}](figures/{name}.svg)"


def _by_place(found: Reproduction) -> dict[str, list[tuple[Claim, Evidence]]]:
    places: dict[str, list[tuple[Claim, Evidence]]] = {}
    for claim, evidence in found.evidence:
        places.setdefault(claim.place, []).append((claim, evidence))
    return dict(sorted(places.items()))


def _claims_table(lines: list[tuple[Claim, Evidence]]) -> str:
    rows = [[claim.says, e.reproduced, e.ours or "–", f"**{e.verdict.value}**", e.reason] for claim, e in lines]
    return table(["the paper says", "reproduced", "ours", "verdict", "why"], rows)


def claim_rows(found: Reproduction) -> list[dict[str, str]]:
    """The claims as tidy rows."""
    return [
        {
            "claim": claim.id,
            "place": claim.place,
            "says": claim.says,
            "printed": "" if claim.value is None else str(claim.value),
            "reproduced": evidence.reproduced,
            "ours": evidence.ours,
            "verdict": evidence.verdict.value,
            "reason": evidence.reason,
        }
        for claim, evidence in found.evidence
    ]


def summary_text(found: Reproduction) -> str:
    """The diff for the terminal: every claim with paper, reproduced, ours and verdict; why, where it does not hold."""
    lines: list[str] = []
    for place, claims in _by_place(found).items():
        lines.append(f"\n{place}")
        for claim, evidence in claims:
            mark = {Verdict.HOLDS: "✓", Verdict.DIFFERS: "≠", Verdict.IMPOSSIBLE: "✗"}[evidence.verdict]
            ours = f"; ours {evidence.ours}" if evidence.ours else ""
            lines.append(f"  {mark} {claim.says}: reproduced {evidence.reproduced}{ours}: {evidence.verdict.value}")
            if evidence.verdict is not Verdict.HOLDS:
                lines.append(f"      {evidence.reason}")
    counts = Counter(evidence.verdict for _, evidence in found.evidence)
    total = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
    return "\n".join([*lines, "", f"{len(found.evidence)} claims: {total}"]).strip("\n")


def latex_tables(found: Reproduction) -> dict[str, str]:
    """The tables for a paper, by file name."""
    results = found.results
    tables = {
        "accuracy": accuracy_rows(results),
        "rounding": rounding_rows(results),
        "time": time_rows(results),
        "p-values": p_rows(results),
        "truth-tables": truth_table_rows(results),
        "search": search_rows(results),
        **{f"ablation-{study}": ablation_rows(results, study) for study in STUDIES},
    }
    claims = [[claim.says, e.reproduced, e.verdict.value] for claim, e in found.evidence]
    written = {name: latex_table(*each) for name, each in tables.items()}
    written["claims"] = latex_table(["claim", "reproduced", "verdict"], claims, "longtable", "p{8cm}p{4cm}l")
    return written


_LATEX = {
    "&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "{": r"\{", "}": r"\}", "±": r"$\pm$", "≥": r"$\geq$",
    "≤": r"$\leq$", "<": "$<$", ">": "$>$", "→": r"$\to$", "⊗": r"$\otimes$", "⊕": r"$\oplus$", "¬": r"$\neg$",
    "λ": r"$\lambda$", "Δ": r"$\Delta$", "Υ": r"$\Upsilon$", "ψ": r"$\psi$", "μ": r"$\mu$", "ε": r"$\varepsilon$",
    "ℓ": r"$\ell$", "‖": r"$\|$", "√": r"$\surd$", "½": r"$\frac12$", "–": "--", "·": r"$\cdot$", "−": "$-$",
    "²": "$^2$", "³": "$^3$", "ⁿ": "$^n$", "∨": r"$\vee$", "∧": r"$\wedge$", "₊": "$_+$", "ₙ": "$_n$",
    **{digit: f"$_{index}$" for index, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}  # fmt: skip


def latex_table(head: list[str], rows: list[list[str]], kind: str = "tabular", columns: str = "") -> str:
    """A booktabs table; symbols become mathematics."""
    columns = columns or "ll" + "r" * (len(head) - 2)
    body = [r"\toprule", _latex_line(head), r"\midrule", *(_latex_line(row) for row in rows), r"\bottomrule"]
    return "\n".join([rf"\begin{{{kind}}}{{{columns}}}", *body, rf"\end{{{kind}}}", ""])


def _latex_line(cells: list[str]) -> str:
    pattern = re.compile("|".join(map(re.escape, _LATEX)))
    return " & ".join(pattern.sub(lambda found: _LATEX[found[0]], cell) for cell in cells) + r" \\"
