"""Model files: read with suspicion, and written only if they can be read again."""

from functools import partial
from pathlib import Path

from crystalogic.crystal import Crystal
from crystalogic.document import unseal, write_atomically
from crystalogic.encoding import Encoding
from crystalogic.errors import CrystalogicError, DocumentError, EncodingError, TooLargeError, refuse, refuse_first
from crystalogic.logic.parse import parse
from crystalogic.logic.score import score_of
from crystalogic.model.model import KIND, VERSION, Model
from crystalogic.model.profile import read_profile
from crystalogic.model.record import Record, read_fronts
from crystalogic.model.risk import OUT_OF, read_band, read_risk
from crystalogic.model.rows import read_label
from crystalogic.untrusted import LIMITS, each, perhaps, read_text, table, whole
from crystalogic.untrusted import text as text_of
from crystalogic.verify.certificate import Certificate


def load(path: str | Path) -> Model:
    """The model in a file. Loading needs no training code.

    Parameters:
        path: a file that `save` or `crystalogic fit` wrote; a DocumentError says what is wrong with one that cannot be
            used. The certificate is gone through by `Model.check`, not here.
    """
    text = read_text(Path(path), KIND)
    try:
        return read_model(text)
    except (DocumentError, TooLargeError) as error:
        refuse(type(error), f"{path}: {error}")


def read_model(text: str) -> Model:
    """The model with this JSON document, validated; `Model.check` goes through its certificate."""
    body = unseal(text, KIND, VERSION)
    try:
        texts = each(text_of, body["formulas"], "the formulas")
        LIMITS.refuse("formulas", len(texts), f"this {KIND}")
        LIMITS.refuse("characters", sum(map(len, texts)), "the formulas")
        model = Model(
            text_of(body["target"], "the target"),
            perhaps(partial(each, read_label), body["classes"], "the classes"),
            each(whole, body["order"], "the order"),
            Encoding.from_content(table(body["encoding"], "the encoding")),
            Crystal.from_content(table(body["crystal"], "the crystal")),
            tuple(map(parse, texts)),
            Certificate.from_content(table(body["certificate"], "the certificate")),
            read_fronts(body["fronts"], "the fronts"),
            each(whole, body["chosen"], "the chosen rows"),
            Record.from_content(body["notes"], "the notes"),
            perhaps(read_risk, body.get("risk"), "the risk"),
            each(read_risk, body.get("chain", []), "the chain"),
            perhaps(read_band, body.get("band"), "the band"),
            perhaps(read_profile, body.get("profile"), "the profile"),
        )
    except (DocumentError, TooLargeError):
        raise
    except (KeyError, TypeError, ValueError, CrystalogicError) as error:
        refuse(DocumentError, f"not a {KIND}: {type(error).__name__} {error}.")
    try:
        _refuse_inconsistent(model)
    except EncodingError as error:  # a ladder that cannot be spelled out
        refuse(DocumentError, f"not a {KIND}: {error}")
    return model


def save(model: Model, path: str | Path) -> None:
    """Writes the model file; an existing file is replaced only when the new text was read and is this model."""
    text = model.to_json()
    try:
        again = read_model(text)
        again.check()
    except CrystalogicError as error:
        refuse(type(error), f"{path}: this model is not written, because it could not be used again: {error}")
    if again.fingerprint != model.fingerprint:
        refuse(DocumentError, f"{path}: this model is not written, because it would be another one when it is read.")
    write_atomically(Path(path), text)


def has_fitting_risk(model: Model) -> bool:
    """Whether its risks, if it has any, fit formulas of facts alone, with a share for each of their scores."""
    if not model.has_risk:
        return True
    if model.risk is not None:
        spoken, risks = model.formulas[:1], [model.risk]
        fits = model.classes is not None and len(model.formulas) == 1 and not model.chain and not model.rounding
    else:
        spoken, risks = tuple(model.formulas[place] for place in model.order[:-1]), list(model.chain)
        fits = model.is_list and len(risks) == len(spoken)
    return fits and [len(risk.shares) for risk in risks] == [score_of(formula).most + 1 for formula in spoken]


def _refuse_inconsistent(model: Model) -> None:
    labels, n = model.classes or (), len(model.classes or ())
    n_formulas = 1 if model.classes is None or n == 2 else n
    read = {*model.names, *(name for formula in model.written for name in formula.variables)}
    most = OUT_OF if model.risk is None else len(model.risk.shares)  # where a band may end
    problems: dict[str, bool] = {
        f"{len(model.formulas)} formulas, expected {n_formulas}": len(model.formulas) != n_formulas,
        "a single class": model.classes is not None and n < 2,
        "an order of classes that it does not have": model.classes is None and bool(model.order),
        "an order that does not list every class once": sorted(model.order) != list(range(n)),
        "two classes with one name": min(len(set(labels)), len(set(map(str, labels)))) != n,
        "fronts without their chosen rows": len(model.fronts) != len(model.chosen)
        or any(not 0 <= index < len(front) for front, index in zip(model.fronts, model.chosen, strict=False)),
        "a formula over truth values that its encoding does not have": not read <= set(model.encoding.literals),
        "a risk that does not fit its formula": not has_fitting_risk(model),
        "a band that does not fit its risk": model.band is not None
        and (not model.has_risk or len(model.band.rows) != n or model.band.high > most),
        "a profile that does not fit it": model.profile is not None and not model.profile.fits(model),
    }
    refuse_first(DocumentError, {f"not a {KIND}: it has {each}.": is_there for each, is_there in problems.items()})
