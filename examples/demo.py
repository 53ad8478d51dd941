"""The logic at work: a network of the paper becomes a formula, with a proof, and explains two patients."""

from fractions import Fraction

from rich.console import Console

import crystalogic as cl
from crystalogic.logic.formula import is_literal, subformulas

PATIENTS = {
    "A (disease)": {"trestbps": "0.64", "oldpeak": "0.42", "ca": "1", "thalach": "0.29", "cp=4": "1"},
    "B (healthy)": {"trestbps": "0.27", "oldpeak": "0", "ca": "0", "thalach": "0.79", "cp=4": "0"},
}


def main() -> None:
    show = Console(highlight=False, soft_wrap=True).print
    crystal = cl.Crystal(
        inputs=["trestbps", "oldpeak", "ca", "thalach", "cp=4"],
        neurons=[
            cl.Neuron([0, 1, 2], [-1, -1, -1], bias=1),
            cl.Neuron([3, 2, 4], [1, -1, -1], bias=0),
            cl.Neuron([5, 6], [-1, -1], bias=1),
        ],
        outputs=[7],
    )
    show("[bold]1. A crystallized network[/bold] (heart disease, from the paper)\n")
    for index, neuron in enumerate(crystal.neurons):
        show(f"   neuron {index}: sources {neuron.sources}, weights {neuron.weights}, bias {neuron.bias}")

    extraction = cl.extract(crystal)
    rule = extraction.formula
    show("\n[bold]2. Read as a formula[/bold]\n")
    for reading in extraction.readings:
        show(f"   neuron {reading.neuron} is a {reading.kind.value} ({reading.law}): {reading.formula}")

    certificate = cl.certify(crystal, rule)
    cl.check(certificate, crystal, rule)
    show("\n[bold]3. With a certificate, checked again by independent code[/bold]\n")
    for line in str(certificate).splitlines():
        show(f"   {line}")

    show("\n[bold]4. Two patients, step by step[/bold]\n")
    rows = [{name: Fraction(value) for name, value in values.items()} for values in PATIENTS.values()]
    steps = [node for node in subformulas(rule) if not is_literal(node) or node.parts]
    width = max(len(str(node)) for node in steps)
    show(f"   {'':{width}}  " + "  ".join(name.rjust(11) for name in PATIENTS))
    for node in steps:
        degrees = "  ".join(f"{float(node.evaluate(row)):11.2f}" for row in rows)
        show(f"   {node!s:{width}}  {degrees}", markup=False)

    show("\n[bold]5. Questions, answered with proofs[/bold]\n")
    questions = [
        cl.entails(rule, cl.parse("trestbps ⊕ oldpeak ⊕ ca")),
        cl.entails(rule, cl.parse("ca")),
        cl.equivalent(cl.parse("¬(y ⊗ y)"), cl.parse("¬y"), cl.Domain(boolean=["y"])),
    ]
    for answer in questions:
        first, scope, reason = str(answer).splitlines()
        show(f"   {first}\n      {scope}; {reason}", markup=False)
    show("\nTry it yourself: crystalogic prove '(a → b) ∨ (b → a)'")


if __name__ == "__main__":
    main()
