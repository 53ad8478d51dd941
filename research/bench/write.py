"""Write what was found: the page, and its pictures beside it."""

import json
from collections.abc import Mapping
from pathlib import Path

from crystalogic.document import write_atomically
from research.bench.page import write_page
from research.bench.run import AGAIN
from research.bench.summary import gather
from research.study import Job, Record


def write_comparison(folder: Path, page: Path, found: Mapping[Job, Record], *, figures: bool = True) -> list[Path]:
    """Writes the page and its pictures; gives what was written."""
    cells = gather(found)
    written, names = [], []
    if figures:
        from research.bench.figures import draw_curves, draw_ranks

        for draw in (draw_curves, draw_ranks):
            path = draw(cells, page.parent / "pictures")
            if path is not None:
                written.append(path)
                names.append(f"pictures/{path.name}")
    place = folder / AGAIN
    again = json.loads(place.read_text(encoding="utf-8")) if place.exists() else None
    write_atomically(page, write_page(cells, names, again))
    return [page, *written]
