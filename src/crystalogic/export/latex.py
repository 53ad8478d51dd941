"""Export to LaTeX: the formulas, what each truth value says, and how they decide; a piece for a paper, with amsmath."""

from crystalogic.export.program import program
from crystalogic.export.quoting import remarks
from crystalogic.logic.names import latex_name, latex_text
from crystalogic.model import Model
from crystalogic.words.literals import literal_words
from crystalogic.words.risks import operating_lines, risk_paragraphs


def to_latex(model: Model) -> str:
    """The model as LaTeX that stands in a document by itself.

    Parameters:
        model: the model to write.
    """
    found = program(model)
    lines = [remarks(found.header, "%")]
    target = latex_text(model.target)
    spoken_for = (None,) if found.labels is None else found.labels[-len(model.formulas) :]
    for label, formula in zip(spoken_for, model.written, strict=True):
        of = target if label is None else f"{target} = {latex_text(str(label))}"
        lines += [f"The degree of {of} is", r"\[", formula.to_latex(), r"\]"]
    if found.facts:
        lines += ["where", r"\begin{itemize}"]
        lines += [
            rf"\item ${latex_name(fact.literal.name)}$: {latex_text(literal_words(fact.literal))}"
            for fact in found.facts
        ]
        lines.append(r"\end{itemize}")
    if found.labels is not None and len(model.formulas) == 1:
        no, yes = (latex_text(str(label)) for label in found.labels)
        lines.append(rf"{target} is {yes} if the degree is at least $\frac{{1}}{{2}}$, otherwise {no}.")
    elif found.labels is not None:
        first = ", ".join(latex_text(str(found.labels[index])) for index in model.order)
        which = "first class of" if model.is_list else "class with the largest degree; of equal ones the first of"
        lines.append(f"{target} is the {which} {first}{' whose degree is 1' * model.is_list}.")
    for heading, *items in risk_paragraphs(model):
        lines.append(f"H{latex_text(heading)[1:]}")
        listed = (rf"\item {latex_text(item).replace('–', '--')}" for item in items)
        lines += [r"\begin{itemize}", *listed, r"\end{itemize}"] if items else []
    lines += map(latex_text, operating_lines(model))
    return "\n".join([*lines, ""])
