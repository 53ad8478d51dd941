"""What reading back found, for people, for machines, and as a comment that travels with the file."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from crystalogic.readback.syntax import data_file, languages


@dataclass(frozen=True)
class Difference:
    """A row for which the file tells something else than the model."""

    row: Mapping[str, Any]
    what: str
    told: Any
    expected: Any


@dataclass(frozen=True)
class Readback:
    """What is known of a file: proved, refuted by a row, or (`problem`) not one of the shapes that can be proved.

    Attributes:
        language: the language or dialect that it was read as.
        fingerprint: of the model.
        types: the types of columns that were stated.
        outputs: what was compared.
        n_cells: how many kinds of cells were told apart, of all columns together.
        scope: which rows it is about, in sentences.
        difference: a row that shows that it is another function.
        problem: why it could not be read or proved.
    """

    language: str
    fingerprint: str
    types: Mapping[str, str] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    n_cells: int = 0
    scope: tuple[str, ...] = ()
    difference: Difference | None = None
    problem: str = ""

    def __bool__(self) -> bool:
        return self.difference is None and not self.problem

    def __str__(self) -> str:
        return self._fill("proved" if self else "unread" if self.problem else "refuted", "\n  ")

    @property
    def code(self) -> int:
        """What a command ends with."""
        return 2 if self.problem else 1 if self.difference else 0

    def _fill(self, sentence: str, line_end: str) -> str:
        several = "all that it tells" if len(self.outputs) > 1 else "the decision"
        known = {**asdict(self), "told": several, "scope": line_end.join(self.scope)}
        if self.difference is not None:
            shown = {key: json.dumps(each, default=repr) for key, each in asdict(self.difference).items()}
            known |= {**shown, "what": self.difference.what}
        return str(data_file()["sentences"][sentence].format(**known))

    def content(self) -> dict[str, Any]:
        """The same for machines."""
        verdict = ("proved", "refuted", "not read")[self.code]
        return {"verdict": verdict, **json.loads(json.dumps(asdict(self), default=repr))}


def add_proof(text: str, found: Readback) -> str:
    """The text with what is proved of it, as a comment on top or after the two lines that every export begins with."""
    lines = found._fill("proof", "\n").split("\n")
    lines += [f"types {json.dumps(dict(found.types))}"] if found.types else []
    comment = "".join(f"{languages()[found.language].mark} {line}\n" for line in lines)
    start = re.match(r"(?:/\*\n)?\W+a rule of Crystalogic\n\W+model \w+\n", text)
    place = start.end() if start else 0
    return text[:place] + comment + text[place:]


def stated_in(text: str, suffix: str) -> tuple[str, dict[str, str]]:
    """The language and the types of columns that a file says it was written for, as far as it does."""
    named = re.search(r"^\W{1,3}read as (\w+)$", text, re.MULTILINE)
    types = re.search(r"^-- types (\{.*\})$", text, re.MULTILINE)
    try:
        stated = json.loads(types[1]) if types else {}
    except ValueError:
        stated = {}
    told = named[1] if named else ""
    by_suffix = (name for name, language in languages().items() if language.suffix == suffix)
    language = told if told in languages() else next(by_suffix, "standard")
    return language, {str(name): str(kind) for name, kind in stated.items()}
