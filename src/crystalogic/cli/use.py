"""Commands for people with a model: predict, explain, verify."""

from pathlib import Path
from typing import Annotated, Any

import typer

from crystalogic.cli.options import Decimal, Encoding, Gaps, Json, ModelArgument, Output, TableArgument, UnknownChoice
from crystalogic.cli.output import check_output, json_text, show, show_json, write
from crystalogic.cli.row import RowNumbers, RowTable, RowValues, given_rows, open_for, show_by_row
from crystalogic.model import load

OPTIMUM = b'"crystalogic optimum"'  # the format of a certificate about the best rule
RECOUNT_SECONDS = 600.0


def predict(
    model: ModelArgument,
    table: TableArgument,
    output: Output = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column of the table to write beside the prediction, such as an id."),
    ] = None,
    unknown: Gaps = UnknownChoice.refuse,
    risk: Annotated[
        bool,
        typer.Option(
            "--risk",
            "--score",
            help="Also write the score of each row, how likely its class is, and whether to ask a person.",
        ),
    ] = False,
    reasons: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Also write up to N facts that add most points to the score of a row."),
    ] = 0,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Predict every row of a table of any size. Only the columns of the rule are needed."""
    from crystalogic.cli.predictions import predictions
    from crystalogic.words.explanations import refuse_no_facts

    rule = load(model)
    file = check_output(output)
    if file is not None and file.suffix.lower() == ".parquet":
        message = f"{output}: predictions are CSV or JSON; the query of `crystalogic export` also makes Parquet."
        raise typer.BadParameter(message)
    if risk:
        rule.refuse_no_risk()
    if reasons:
        refuse_no_facts(rule)
    source = open_for(rule, table, encoding, decimal)
    how: dict[str, Any] = {"keep": keep or (), "unknown": unknown.value, "with_risk": risk, "n_reasons": reasons}
    write(file, predictions(rule, source, as_json=as_json, **how))


def explain(
    model: ModelArgument,
    table: RowTable = None,
    row: RowNumbers = None,
    value: RowValues = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Show, step by step and exactly, why a row gets its class; without a row, the rule itself."""
    from crystalogic.cli.predictions import Unseen
    from crystalogic.words.explanations import explanation_content, explanation_text
    from crystalogic.words.models import received_text

    rule = load(model)
    if table is None and not value:
        rule.check()  # what is said to be proved is proved again
        show(json_text(rule.summary()) if as_json else received_text(rule))
        return
    rows = given_rows(rule, table, row, value, encoding, decimal)
    found = {number: rule.explain(cells) for number, cells in rows.items()}
    show_by_row(found, explanation_text, explanation_content, as_json=as_json)
    Unseen(rule).look_at({name: [cells[name] for cells in rows.values()] for name in rule.columns})


def adopt(
    model: ModelArgument,
    size: Annotated[int, typer.Option(min=0, help="The best formula with at most this many literals.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")],
    as_json: Json = False,
) -> None:
    """Adopt another formula of the front, by its size, and write it as a model with a certificate of its own."""
    from crystalogic.words.models import model_text

    file = check_output(output)
    if file is None:
        message = "the model needs a file of its own, such as --output other.json."
        raise typer.BadParameter(message)
    found = load(model).adopt(size)
    found.save(file)
    show(json_text({"model": str(file), **found.summary()}) if as_json else model_text(found))


def verify(model: ModelArgument, as_json: Json = False) -> None:
    """Check the certificate of a model, or that a rule is the best of its size, again, with independent code."""
    from crystalogic.words.models import chosen_text, formulas_text

    if _is_optimum(model):
        _recount(model, as_json=as_json)
        return
    rule = load(model)
    rule.check()
    chosen = rule.record.chosen_by
    if as_json:
        told = {"chosen_by": None if chosen is None else vars(chosen), **rule.certificate.content()}
        show_json({"verified": True, "fingerprint": rule.fingerprint, **told})
        return
    show(formulas_text(rule))
    show(str(rule.certificate))
    if chosen is not None:
        show(chosen_text(rule))
    show(f"Fingerprint: {rule.fingerprint}")


def _is_optimum(path: str) -> bool:
    """Whether the file says that it is about the best rule of a size."""
    if not Path(path).is_file():
        return False
    try:
        with Path(path).open("rb") as file:
            return OPTIMUM in file.read(100)
    except OSError:  # which is told when the file is read
        return False


def _recount(path: str, *, as_json: bool) -> None:
    """Counts all rules again that a certificate of optimality speaks of. Exit code 1 if the time did not suffice."""
    from crystalogic.recount import check
    from crystalogic.untrusted import read_text

    found = check(read_text(Path(path), "certificate"), RECOUNT_SECONDS)
    if as_json:
        show_json({"verified": found.bound is not None, **vars(found)})
    else:
        show(str(found))
    raise typer.Exit(0 if found.bound is not None else 1)
