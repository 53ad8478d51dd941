"""From nothing to a rule: the Heart Disease table, its rule, how good it is, what is proved, and one patient."""

import os
import tempfile

from rich.console import Console

from crystalogic.cli.app import run

COMMANDS = [
    ("1. A table of 303 patients, 13 columns, some values missing", "datasets heart --output {folder}/heart.csv"),
    (
        "2. Learn a rule, and measure it on held-out rows",
        "fit {folder}/heart.csv --target disease --splits 10 --output model.json --report report.html",
    ),
    ("3. Check the certificate again, with independent code", "verify model.json"),
    (
        "4. Why does this patient have the disease, according to the rule?",
        "explain model.json {folder}/heart.csv --row 1",
    ),
    ("5. Ask: with more blocked vessels, can the rule ever lose the disease?", "ask model.json monotone ca"),
]


def main() -> None:
    import shlex

    show = Console(highlight=False, soft_wrap=True).print
    with tempfile.TemporaryDirectory() as folder:
        for title, template in COMMANDS:
            command = template.format(folder=folder)
            show(f"\n[bold]{title}[/bold]")
            show(f"$ crystalogic {command.replace(folder + os.sep, '')}\n", markup=False)
            run(shlex.split(command))
    show("\nThe model is in model.json, one JSON file; report.html is the page to read, print and sign off.")


if __name__ == "__main__":
    main()
