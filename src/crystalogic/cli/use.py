"""Commands with a model: predict, explain, verify; and pages to read it and to choose a rule on, and exports."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

import crystalogic
from crystalogic.cli import options
from crystalogic.cli.options import Asked, given_rows, names_of, open_for, pairs_of, refuse, refuse_strange
from crystalogic.cli.output import check_output, progress_bar, show, show_by_row, show_notes, tell, write
from crystalogic.document import write_atomically
from crystalogic.errors import EncodingError, ExportError, ServiceError, TableError, refuse_first
from crystalogic.files import TableFile
from crystalogic.model import Model, load
from crystalogic.untrusted import read_text
from crystalogic.words.explanations import explanation_content, explanation_text, refuse_no_facts
from crystalogic.words.literals import Unseen
from crystalogic.words.models import chosen_text, formulas_text, model_text, received_text

OPTIMUM = b'"crystalogic optimum"'  # the format of a certificate about the best rule
RECOUNT_SECONDS = 600.0
NO_UNIT = "there is no column {name} to have a unit; there are {known}."
NO_TYPE = "there is no column {name} to give a type; the model knows {known}."
WRITTEN = "Written to {}. Open it in a browser; it needs no network."


def predict(asked: Asked) -> None:
    """Predict every row of a table of any size. Only the columns of the rule are needed."""
    from crystalogic.cli.predictions import predictions

    rule, file = load(asked.model), check_output(asked.output)
    why = f"{file}: predictions are CSV or JSON; the query of `crystalogic export` also makes Parquet."
    refuse(file is not None and file.suffix.lower() == ".parquet", why)
    if asked.risk:
        rule.refuse_no_risk()
    if asked.reasons:
        refuse_no_facts(rule)
    write(file, predictions(rule, open_for(asked.table, asked, rule), asked))


def explain(asked: Asked) -> None:
    """Show, step by step and exactly, why a row gets its class; without a row, the rule itself."""
    rule = load(asked.model)
    if asked.row_table is None and not asked.value:
        rule.check()  # what is said to be proved is proved again
        tell(rule.summary(), received_text(rule), as_json=asked.json)
        return
    rows = given_rows(rule, asked)
    found = {number: rule.explain(cells) for number, cells in rows.items()}
    show_by_row(found, explanation_text, explanation_content, as_json=asked.json)
    show_notes(Unseen(rule).find({name: [cells[name] for cells in rows.values()] for name in rule.columns}))


def adopt(asked: Asked) -> None:
    """Adopt another formula of the front, by its size, and write it as a model with a certificate of its own."""
    refuse(check_output(asked.output) is None, "the model needs a file of its own, such as --output other.json.")
    save(load(asked.model).adopt(asked.size), asked.output, as_json=asked.json)


def save(model: Model, file: Path, *, as_json: bool) -> None:
    """Writes a model, and shows it."""
    model.save(file)
    tell({"model": str(file), **model.summary()}, model_text(model), as_json=as_json)


def verify(asked: Asked) -> None:
    """Check the certificate of a model, that a rule is the best of its size, or that an export is the model, again."""
    if asked.against is not None:
        _verify_export(asked)
    if _is_optimum(asked.model):  # count all rules again that it speaks of
        from crystalogic.recount import check

        found = check(read_text(Path(asked.model), "certificate"), RECOUNT_SECONDS)
        tell({"verified": found.bound is not None, **vars(found)}, str(found), as_json=asked.json)
        raise typer.Exit(0 if found.bound is not None else 1)  # 1 if the time did not suffice
    rule = load(asked.model)
    rule.check()
    chosen = None if rule.record.chosen_by is None else vars(rule.record.chosen_by)
    told = formulas_text(rule), str(rule.certificate), chosen_text(rule), f"Fingerprint: {rule.fingerprint}"
    content = {"verified": True, "fingerprint": rule.fingerprint, "chosen_by": chosen, **rule.certificate.content()}
    tell(content, "\n".join(filter(None, told)), as_json=asked.json)


def _verify_export(asked: Asked) -> None:
    """Ends with 0 if the file is proved to be the model, 1 if a row shows that it is not, 2 if it cannot be read."""
    from crystalogic.readback import stated_in

    text = read_text(Path(asked.model), "export")
    language, types = stated_in(text, Path(asked.model).suffix)
    types |= pairs_of(asked, "type")
    found = crystalogic.read_back(text, load(asked.against), asked.dialect or language, types=types)
    tell(found.content(), str(found), as_json=asked.json)
    raise typer.Exit(found.code)


def _is_optimum(path: str) -> bool:
    """Whether the file says that it is about the best rule of a size."""
    with suppress(OSError):  # which is told when the file is read
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                return OPTIMUM in file.read(100)
    return False


def report(asked: Asked) -> None:
    """Write a report page: the rule, a calculator, how good it is, what is proved. One file that needs no network."""
    rule, file = load(asked.model), check_output(asked.output)
    refuse(file is None and asked.json, "--json says where the page is; give it a file with --output.")
    chooser = check_output(file.with_name("choose.html")) if asked.choose and file is not None else None
    why = "--choose writes choose.html beside the report; give the report another file with --output."
    refuse(asked.choose and (file is None or file == chooser), why)
    refuse(asked.by and asked.table is None, "--by is for the columns of a table; name the table, too.")
    source = None if asked.table is None else open_for(asked.table, asked, rule)
    evidence = None if source is None else _labelled_table(rule, source)
    names = [] if source is None else names_of(asked.by, source)
    units = pairs_of(asked, "unit")
    refuse_strange(TableError, units, [column.name for column in rule.encoding.columns], NO_UNIT)
    if chooser is not None:
        known = None if evidence is None or evidence.labels is None else evidence
        write(chooser, [_chooser_of(rule, asked.model, known)])
    write(file, [page_of(rule, evidence, units, asked.time, chooser=chooser.name if chooser else "", by=names)])
    if asked.json or file is not None:
        content = {"report": str(file), **({} if chooser is None else {"chooser": str(chooser)})}
        tell(content, WRITTEN.format(file), as_json=asked.json)


def choose(asked: Asked) -> None:
    """Write a page to choose a rule on: compare, edit, save. With --take, make a model of what was chosen there."""
    is_taken, has_table = asked.take is not None, asked.table is not None
    why = "--take makes a model of a choice; a table and --rows are for the page."
    refuse(is_taken and (has_table or asked.rows), why)
    why = "--rows puts the rows of a table into the page; name the table after the model."
    refuse(asked.rows and not has_table, why)
    file = check_output(asked.output or Path("chosen.json" if is_taken else "choose.html"))
    refuse(file is None and (asked.json or is_taken), "give it a file with --output.")
    rule = load(asked.model)
    if is_taken and file is not None:
        from crystalogic.choosing import take_choice

        save(take_choice(rule, read_text(asked.take, "choice")), file, as_json=asked.json)
        return
    evidence = _labelled_table(rule, open_for(asked.table, asked, rule)) if has_table else None
    why = f"there is no column {rule.target!r}, which tells the class of each row. Rules need it."
    refuse_first(TableError, {f"{asked.table}: {why}": evidence is not None and evidence.labels is None})
    how = {"size": asked.size, "within": asked.within, "seconds": asked.time, "shape": asked.shape}
    write(file, [_chooser_of(rule, asked.model, evidence, embed_rows=asked.rows, **how)])
    held = " It holds the rows of the table, as bits: pass it on with care." if asked.rows else ""
    if asked.json or file is not None:
        tell({"page": str(file)}, WRITTEN.format(file) + held, as_json=asked.json)


def _chooser_of(rule: Model, file: str, table: Any, *, embed_rows: bool = False, **how: Any) -> str:
    """The page of the rules in a model file and, with a table, of all that are about as good on it."""
    from crystalogic.choosing import chooser_page, find_good

    good = None
    if table is not None:
        with progress_bar("proving") as callback:
            good = find_good(rule, table, callback=callback, **how)
    return chooser_page(rule, good, table, embed_rows=embed_rows, file=Path(file).name, made=today())


def page_of(model: Model, table: Any, units: dict[str, str], seconds: float = 5.0, **more: Any) -> str:
    """The page as the command line writes it: with what can be proved, and with the day."""
    return crystalogic.report.report_page(model, table, seconds=seconds, units=units, made=today(), **more)


def today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")


def _labelled_table(model: Model, source: TableFile) -> Any:
    """A table as the page takes it: with its classes, where it has them, and whether the model was learned from it."""
    options.refuse_missing_columns(model, source)
    frame = source.read()
    labels = frame[model.target] if model.target in source.columns else None
    are_known = None if labels is None else is_training(model, frame, labels)
    return crystalogic.report.Table(frame, labels, Path(source.path).name, are_known)


def is_training(model: Model, frame: Any, labels: Any) -> bool | None:
    """Whether these are the rows that the model was learned from; None if the model does not know its rows."""
    from crystalogic.fitting import identity_of
    from crystalogic.fitting.targets import Target

    if model.record.data is None:
        return None
    try:
        y = Target(model.target, model.classes is None, model.target_words).read(labels)
        return identity_of(model, frame, y) == model.record.data
    except (EncodingError, TableError):
        return False


def export(asked: Asked) -> None:
    """Write a model as SQL, Python, C, JavaScript, ONNX, PMML, DMN, a spreadsheet, LaTeX, Markdown or a card."""
    rule = load(asked.model)
    types = pairs_of(asked, "type") or None
    refuse_strange(ExportError, types or (), [column.name for column in rule.encoding.columns], NO_TYPE)
    given = {name: getattr(asked, name) for name in ("table", "keep", "dialect", "view", "name", "rows")}
    given |= {"types": types, "keep": asked.keep or None}
    given = {key: value for key, value in given.items() if value is not None}
    written = crystalogic.export.to(rule, asked.target, **given)
    if asked.verify and isinstance(written, str):
        written = _prove(written, rule, asked.dialect or "standard" if asked.target == "sql" else asked.target, types)
    if asked.output is not None:
        write_atomically(asked.output, written.encode("utf-8", "replace") if isinstance(written, str) else written)
        return
    refuse(isinstance(written, bytes), f"{asked.target} is not text; say where to write it with --output.")
    write(None, [str(written)])


def serve(asked: Asked) -> None:
    """Answer requests over HTTP on this machine: predictions, explanations, the model. Ctrl-C stops it."""
    rule = load(asked.model)
    try:
        from crystalogic.service.server import serve as run
    except ImportError:
        message = "a service needs Starlette and uvicorn; install them with: pip install 'crystalogic[serve]'"
        raise ServiceError(message) from None
    show(f"Serving {asked.model} at http://{asked.host}:{asked.port}; Ctrl-C stops it.")
    run(rule, crystalogic.__version__, asked.host, asked.port)
    show("Stopped.")


def mcp(asked: Asked) -> None:
    """Let an assistant fit, predict, explain, ask and verify, over standard input and output, in one folder."""
    from crystalogic.cli.assistant import listen

    refuse(not asked.folder.is_dir(), f"{asked.folder}: there is no such folder.")
    listen(asked.folder.resolve())


def _prove(text: str, rule: Model, language: str, types: dict[str, str] | None) -> str:
    """The text with the proof that it is the rule; an ExportError if it is another, a remark if nothing is proved."""
    from crystalogic.readback import add_proof
    from crystalogic.readback.syntax import languages

    if language not in languages():
        if language not in ("latex", "markdown", "card"):  # which nobody runs
            show(f"Not proved: {language} is not read back.", to_errors=True)
        return text
    found = crystalogic.read_back(text, rule, language, types=types)
    refuse_first(ExportError, {f"nothing is written. {found}": found.difference is not None})
    if not found:
        show(str(found), to_errors=True)
    return add_proof(text, found) if found else text
