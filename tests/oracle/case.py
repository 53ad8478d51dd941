"""One case of an attack: what is drawn from its seed, what was compared, and what differed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any


@dataclass
class Case:
    """A seeded case in a folder of its own; attacks compare, and note what differs."""

    draw: Random
    folder: Path
    n_compared: int = 0
    differences: list[str] = field(default_factory=list)
    is_quick: bool = False  # of a short run, which leaves out what takes long

    def expect(self, holds: bool, what: str | Callable[[], str]) -> bool:
        """Notes a difference unless this holds."""
        self.n_compared += 1
        if not holds:
            self.differences.append(what if isinstance(what, str) else what())
        return bool(holds)

    def same(self, found: Any, expected: Any, what: str) -> bool:
        """Notes a difference unless both are equal."""
        return self.expect(found == expected, lambda: f"{what}: {found!r}, expected {expected!r}")

    def path(self, name: str) -> Path:
        """A new file or folder of the case."""
        place = self.folder / name
        while place.exists():
            place = place.with_name(f"{place.stem}_{place.suffix}")
        return place


Attack = Callable[[Case], None]
