"""Write what a reproduction found: page, tidy tables, LaTeX and figures."""

from pathlib import Path
from typing import Any

from crystalogic.document import write_atomically
from research.paper.page import claim_rows, latex_tables, page
from research.paper.reproduce import Reproduction
from research.study.tidy import tidy_rows, write_table


def write_reproduction(found: Reproduction, folder: Path, *, figures: bool = True) -> list[Path]:
    """Everything into one folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / "report.md"]
    write_atomically(written[0], page(found))
    written += write_table(claim_rows(found), folder / "claims.csv")
    written += write_table(tidy_rows(found.results.records), folder / "trials.csv")
    written += write_table(_front_rows(found), folder / "fronts.csv")
    tables = folder / "tables"
    tables.mkdir(exist_ok=True)
    for name, text in latex_tables(found).items():
        written.append(tables / f"{name}.tex")
        write_atomically(written[-1], text)
    if figures:
        from research.paper.figures import draw_all

        written += draw_all(found.results, folder / "figures")
    return written


def _front_rows(found: Reproduction) -> list[dict[str, Any]]:
    """One row for each formula of each front of the lattice search."""
    return [
        {
            "data": job.data,
            "seed": job.seed,
            "literals": size,
            "training": training,
            "cross_validated": judged,
            "test": test,
        }
        for job, record in found.results.records.items()
        if job.kind == "search"
        for size, training, judged, test in record["front"]
    ]
