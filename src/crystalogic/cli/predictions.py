"""Predictions as lines of CSV or JSON, part by part, so that the size of a table does not matter."""

import csv
import io
import json
from collections.abc import Iterator

import typer

from crystalogic.errors import TableError
from crystalogic.files import TableFile
from crystalogic.model import Model


def predictions(rule: Model, source: TableFile, as_json: bool) -> Iterator[str]:
    missing = [name for name in rule.columns if name not in source.columns]
    if missing:
        message = (
            f"{source.path}: the rule needs the column{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}; "
            f"the table has {', '.join(source.columns)}."
        )
        raise TableError(message)
    header = ["row", rule.target, *_degree_names(rule)]
    if not as_json:
        yield ",".join(_safe(cell) for cell in header) + "\n"
    start = 0
    reported: set[tuple[str, str]] = set()
    for part in source.parts(columns=rule.columns):
        degrees = rule.degrees(part, first_row=start)
        decided = rule.decide(degrees)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for index, (label, row) in enumerate(zip(decided, degrees.tolist(), strict=True), start):
            if as_json:
                text.write(json.dumps(dict(zip(header, [index, label, *row], strict=True)), ensure_ascii=False) + "\n")
            else:
                writer.writerow([index, label if not isinstance(label, str) else _plain(label), *row])
        yield text.getvalue()
        start += len(part)
        for column, values in rule.encoding.unseen(part, rule.columns).items():
            for value in values:
                if (column, value) not in reported and len(reported) < 20:
                    reported.add((column, value))
                    typer.echo(f"note: {column} = {value} was in no training row; its literals are false.", err=True)


def _degree_names(rule: Model) -> list[str]:
    if rule.classes is None:
        return []
    if len(rule.formulas) == 1:
        return [f"degree of {rule.classes[1]}"]
    return [f"degree of {label}" for label in rule.classes]


def _plain(text: str) -> str:
    """A cell that a spreadsheet will not take for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" else text


def _safe(text: str) -> str:
    text = _plain(text)
    return '"' + text.replace('"', '""') + '"' if any(char in text for char in ',"\n\r') else text
