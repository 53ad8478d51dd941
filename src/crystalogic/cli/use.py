"""Commands for people with a model: predict, explain, verify."""

from pathlib import Path

import typer

from crystalogic.cli.options import Asked, refuse
from crystalogic.cli.output import check_output, show, show_json, tell, write
from crystalogic.cli.row import given_rows, open_for, show_by_row
from crystalogic.model import Model, load

OPTIMUM = b'"crystalogic optimum"'  # the format of a certificate about the best rule
RECOUNT_SECONDS = 600.0


def predict(asked: Asked) -> None:
    """Predict every row of a table of any size. Only the columns of the rule are needed."""
    from crystalogic.cli.predictions import predictions
    from crystalogic.words.explanations import refuse_no_facts

    rule = load(asked.model)
    file = check_output(asked.output)
    is_parquet = file is not None and file.suffix.lower() == ".parquet"
    why = "predictions are CSV or JSON; the query of `crystalogic export` also makes Parquet."
    refuse(is_parquet, f"{asked.output}: {why}")
    if asked.risk:
        rule.refuse_no_risk()
    if asked.reasons:
        refuse_no_facts(rule)
    source = open_for(rule, asked.table, asked)
    how = {"unknown": asked.unknown.value, "with_risk": asked.risk, "n_reasons": asked.reasons}
    write(file, predictions(rule, source, as_json=asked.json, keep=asked.keep or (), **how))


def explain(asked: Asked) -> None:
    """Show, step by step and exactly, why a row gets its class; without a row, the rule itself."""
    from crystalogic.cli.predictions import Unseen
    from crystalogic.words.explanations import explanation_content, explanation_text
    from crystalogic.words.models import received_text

    rule = load(asked.model)
    if asked.row_table is None and not asked.value:
        rule.check()  # what is said to be proved is proved again
        tell(rule.summary(), received_text(rule), as_json=asked.json)
        return
    rows = given_rows(rule, asked)
    found = {number: rule.explain(cells) for number, cells in rows.items()}
    show_by_row(found, explanation_text, explanation_content, as_json=asked.json)
    Unseen(rule).look_at({name: [cells[name] for cells in rows.values()] for name in rule.columns})


def adopt(asked: Asked) -> None:
    """Adopt another formula of the front, by its size, and write it as a model with a certificate of its own."""
    refuse(check_output(asked.output) is None, "the model needs a file of its own, such as --output other.json.")
    save(load(asked.model).adopt(asked.size), asked.output, as_json=asked.json)


def save(model: Model, file: Path, *, as_json: bool) -> None:
    """Writes a model, and shows it."""
    from crystalogic.words.models import model_text

    model.save(file)
    tell({"model": str(file), **model.summary()}, model_text(model), as_json=as_json)


def verify(asked: Asked) -> None:
    """Check the certificate of a model, or that a rule is the best of its size, again, with independent code."""
    from crystalogic.words.models import chosen_text, formulas_text

    if _is_optimum(asked.model):
        _recount(asked.model, as_json=asked.json)
        return
    rule = load(asked.model)
    rule.check()
    chosen = rule.record.chosen_by
    if asked.json:
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
    tell({"verified": found.bound is not None, **vars(found)}, str(found), as_json=as_json)
    raise typer.Exit(0 if found.bound is not None else 1)
