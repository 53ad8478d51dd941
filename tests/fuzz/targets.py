"""What is fuzzed: functions of bytes that fail if anything but a refusal in a sentence comes out.

Hypothesis calls them in `make test`, atheris in `make fuzz`. Each returns what became of the bytes, for statistics.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from crystalogic import Certificate, check, parse
from crystalogic.document import seal
from crystalogic.errors import CrystalogicError
from crystalogic.model import Model
from crystalogic.verify.certificate import CLAIM

Outcome = str
REFUSED = "refused"


def fuzz_parser(data: bytes) -> Outcome:
    """Text that is a formula is read back from its own print, in both alphabets."""
    try:
        formula = parse(data.decode("utf-8", "surrogateescape"))
    except CrystalogicError:
        return REFUSED
    assert parse(str(formula)) is formula
    assert parse(formula.to_ascii()) is formula
    formula.to_latex()
    return "read"


def fuzz_document(data: bytes) -> Outcome:
    """Any text as a model, a crystal or a certificate."""
    text = data.decode("utf-8", "surrogateescape")
    for read in (Model.from_json, Certificate.from_json):
        with contextlib.suppress(CrystalogicError):
            read(text)
    return REFUSED


SEEDS = [
    json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parent / "seeds").glob("model*.json"))
]
STRANGE: list[Any] = [
    None, True, False, -1, 0, 1, 2, 10**15, 10**20, 0.5, -0.0, 1e308, 5e-324, "", " ", "x", "a=b", "0", "\x1b[2J",
    "a\nb", "\u202e", "\x00", "\ud800", "{", "a ⊗ b", "¬", "at least 9 of (a)", CLAIM, [], {}, [[]], [None], {"a": 1},
    "number", "code", "category", "degree", "cut", "is", "missing", "constant 1", "equal",
]  # fmt: skip


class Draw(Random):
    """Random choices that the bytes make, one after the other, zeros at the end: a fuzzer sees what they lead to."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._data = io.BytesIO(data)

    def getrandbits(self, k: int) -> int:
        n_bytes = (k + 7) // 8
        return int.from_bytes(self._data.read(n_bytes).ljust(n_bytes, b"\0"), "big") >> (8 * n_bytes - k)

    def random(self) -> float:
        return self.getrandbits(16) / 65536


def mutated(content: Any, draw: Random) -> Any:
    """JSON data with a few of its values replaced, removed, repeated or exchanged."""
    content = json.loads(json.dumps(content))
    for _ in range(draw.choice([1, 1, 1, 2, 3, 5])):
        places = list(_places(content))
        if not places:
            break
        holder, key = draw.choice(places)
        match draw.randrange(7):
            case 0 | 1:
                holder[key] = draw.choice(STRANGE)
            case 2 if isinstance(holder, list):
                holder.insert(key, holder[key])
            case 3:
                del holder[key]
            case 4 if type(holder[key]) in (int, float):
                holder[key] += draw.choice([-1, 1, 2, 10**6])
            case 5 if isinstance(holder[key], str):
                cut = draw.randint(0, len(holder[key]))
                holder[key] = holder[key][:cut] + str(draw.choice(STRANGE)) + holder[key][cut:]
            case _:
                other, place = draw.choice(places)
                with contextlib.suppress(LookupError, ValueError):
                    holder[key] = json.loads(json.dumps(other[place]))
    return content


def _places(content: Any) -> Any:
    pending = [content]
    while pending:
        each = pending.pop()
        for key in each if isinstance(each, dict) else range(len(each)):
            yield each, key
            if isinstance(each[key], (dict, list)):
                pending.append(each[key])


def fuzz_model(data: bytes) -> Outcome:
    """A model file with some values changed and sealed again; one that loads is used in every way."""
    draw = Draw(data)
    content = mutated({**draw.choice(SEEDS)}, draw)
    body = {key: value for key, value in content.items() if key not in ("format", "version", "fingerprint")}
    try:
        model = Model.from_json(seal("model", 1, body))
    except CrystalogicError:
        return REFUSED
    return "checked" if use(model) else "loaded"


def use(model: Model) -> bool:
    """Everything that can be done with a model; whether its certificate holds."""
    from crystalogic.choosing import chooser_page
    from crystalogic.export import TARGETS, to
    from crystalogic.report import report_page
    from crystalogic.words.explanations import explanation_text
    from crystalogic.words.models import columns_text, model_html, model_text

    row = {name: "1" for name in model.columns}
    other = {name: None for name in model.columns}
    uses: list[Callable[[], Any]] = [
        lambda: model_text(model, with_columns=True),
        lambda: model_html(model),
        lambda: columns_text(model),
        lambda: Model.from_json(model.to_json()),
        lambda: model.predict({name: [value] for name, value in row.items()}),
        *(lambda each=each: explanation_text(model.explain(each)) for each in (row, other)),
        *(lambda name=name: to(model, name) for name in TARGETS if name not in ("sql", "xlsx")),
        lambda: to(model, "sql", table="t"),
        lambda: to(model, "xlsx", rows=3),  # all are alike
        lambda: report_page(model, seconds=0),
        lambda: chooser_page(model),
    ]
    for each in uses:
        with contextlib.suppress(CrystalogicError):
            each()
    try:
        model.check()
    except CrystalogicError:
        return False
    return True


def fuzz_certificate(data: bytes) -> Outcome:
    """A certificate with some values changed: refused, or it still holds for the crystal that it is of."""
    draw = Draw(data)
    seed = draw.choice(SEEDS)
    model = Model.from_json(json.dumps(seed))
    try:
        certificate = Certificate.from_json(seal("certificate", 1, mutated(seed["certificate"], draw)))
        check(certificate, model.crystal, model.formulas)
        str(certificate)
    except CrystalogicError:
        return REFUSED
    return "holds"


def fuzz_table(data: bytes) -> Outcome:
    """Any bytes as a table, whole and in parts of a few columns."""
    from crystalogic.files import open_table

    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(data)
        file.flush()
        try:
            table = open_table(file.name)
            rows = table.read()
            parts = list(table.parts(rows_at_once=2, columns=table.columns[-1:]))
        except CrystalogicError:
            return REFUSED
    assert list(rows.columns) == list(table.columns)
    assert sum(map(len, parts)) == len(rows)
    return "read"


WORDS = [
    "fit", "predict", "explain", "verify", "recover", "datasets", "ask", "diff", "export", "report", "prove",
    "simplify", "table", "eval", "m.json", "broken.json", "rows.csv", "broken.csv", "empty.csv", "nowhere", ".",
    "--target", "-t", "y", "x", "--json", "-o", "out", "--row", "0", "1", "-1", "99", "--value", "x=1", "x=", "=1",
    "--seconds", "--time", "0.1", "--kind", "x=number", "x=a<b", "--monotone", "x=+", "--forbid", "--require",
    "--start", "a", "a ⊗ b", "¬", "(", "", "-", "--", "--encoding", "utf-16", "klingon", "--degrees",
    "--table", "--dialect", "sqlite", "sql", "python", "c", "javascript", "onnx", "latex", "markdown",
    "--name", "f", "1f", "monotone", "ignores", "policy", "never", "always", "counterfactual", "reason", "robust",
    "missing", "yes", "no", "--class", "--range", "x=0..9", "x=9..0", "--integer", "--no-missing",
    "--another", "--unit", "x=mg", "--max-literals", "2", "--boolean", "all", "a,b", "--one-hot", "--steps", "-n",
    "{x ≥ 3}", "{x < 3} -> ~{y=yes}", "--to", "--frozen", "--increasing", "--percent", "--error", "x=1e999", "\x00",
    "\ud800", "heart", "monks-1", "--test", "--equals", "--entails", "--satisfiable", "--version",
]  # fmt: skip


_MODEL_AND_ROW = ["m.json", "rows.csv", "--row", "1"]
COMMANDS = [
    ["fit", "rows.csv", "-t", "y", "-o", "out"],
    ["fit", "broken.csv", "-t", "y", "-o", "out", "--quiet"],
    ["recover", "rows.csv", "-t", "x"],
    ["predict", "m.json", "rows.csv"],
    ["predict", "m.json", "broken.csv", "-o", "out"],
    ["predict", "broken.json", "rows.csv", "--json"],
    ["explain", *_MODEL_AND_ROW],
    ["verify", "m.json"],
    ["verify", "broken.json"],
    ["datasets"],
    ["datasets", "monks-1", "-o", "out"],
    ["export", "m.json", "sql", "--table", "t"],
    ["export", "m.json", "c", "-o", "out"],
    ["report", "m.json", "rows.csv", "-o", "out", "--time", "0"],
    ["choose", "m.json", "rows.csv", "--rows", "-o", "out"],
    ["choose", "m.json", "--take", "broken.json", "-o", "out"],
    ["prove", "a -> a"],
    ["simplify", "a ⊗ a", "--boolean", "all", "--steps"],
    ["table", "a ⊕ b", "-n", "2"],
    ["eval", "a ⊗ b", "a=1/2", "b=1", "--steps"],
    ["ask", "m.json", "monotone", "age"],
    ["ask", "m.json", "ignores", "ratio"],
    ["ask", "m.json", "never", "1", "--when", "{age < 40}"],
    ["ask", "m.json", "counterfactual", "rows.csv", "--row", "1"],
    ["ask", "m.json", "reason", "rows.csv"],
    ["ask", "m.json", "robust", "rows.csv", "--percent", "2"],
    ["ask", "m.json", "missing", "rows.csv", "--unknown", "age"],
    ["diff", "m.json", "m.json", "rows.csv"],
    [],
]


def fuzz_command(data: bytes) -> Outcome:
    """Random words as a command line, in a folder of good and broken files."""
    from crystalogic.cli.app import run

    draw = Draw(data)
    words = list(draw.choice(COMMANDS))
    for _ in range(draw.choice([0, 1, 1, 2, 3])):
        place = draw.randint(0, len(words))
        words[place : place + draw.choice([0, 1, 1, 2])] = draw.sample(WORDS, draw.choice([0, 1, 1, 2]))
    if words[:1] == ["fit"] or words[:1] == ["recover"]:
        words += ["--time", "0.1"]
    with tempfile.TemporaryDirectory() as folder, _inside(folder):
        _fill(Path(folder), draw)
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
        before = sys.stdin
        sys.stdin = io.StringIO("a ⊗ b\n")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
                warnings.simplefilter("error")
                code = run([word for word in words if "\x00" not in word])
        finally:
            sys.stdin = before
        left = [name for name in os.listdir(folder) if name.endswith(".partial")]
    assert code in (0, 1, 2), (words, code)
    assert not left, (words, left)
    err.flush()
    assert b"Traceback" not in err.buffer.getvalue(), words  # type: ignore[attr-defined]
    return f"exit {code}"


@contextlib.contextmanager
def _inside(folder: str) -> Any:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _fill(folder: Path, draw: Random) -> None:
    (folder / "m.json").write_text(json.dumps(SEEDS[0]), encoding="utf-8")
    (folder / "broken.json").write_text(json.dumps(mutated(SEEDS[0], draw)), encoding="utf-8")
    columns = [column["name"] for column in SEEDS[0]["encoding"]["columns"]]
    lines = [",".join([*columns, "x", "y"])]
    lines += [",".join([*(draw.choice("0123") for _ in columns), str(i), draw.choice(["yes", "no"])]) for i in range(6)]
    whole = "\n".join(lines) + "\n"
    (folder / "rows.csv").write_text(whole, encoding="utf-8")
    cut = draw.randrange(len(whole))
    (folder / "broken.csv").write_bytes(whole.encode()[:cut] + draw.randbytes(3) + whole.encode()[cut:])
    (folder / "empty.csv").write_text("")


TARGETS: dict[str, Callable[[bytes], Outcome]] = {
    "parser": fuzz_parser,
    "document": fuzz_document,
    "model": fuzz_model,
    "certificate": fuzz_certificate,
    "table": fuzz_table,
    "command": fuzz_command,
}
