"""Options of all commands, put on the page of commands when the site is built: what `--help` says, and nothing else."""

from collections.abc import Iterator
from html import escape
from typing import Any

PAGE = "reference/commands.md"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page of commands with a section for each; every other page as it is."""
    if page.file.src_uri != PAGE:
        return markdown
    from typer.main import get_command

    from crystalogic.cli.app import app

    sections = sections_of(get_command(app), "crystalogic", None)
    return "\n\n".join([markdown.rstrip(), *sections]) + "\n"


def sections_of(command: Any, name: str, parent: Any) -> Iterator[str]:
    """A section for each command under this one, in their order; a command without commands is one section."""
    context = command.context_class(command, info_name=name, parent=parent)
    if hasattr(command, "commands"):
        for each in command.commands.values():
            yield from sections_of(each, each.name, context)
        return
    yield f"## `{context.command_path.replace('{', '').replace('}', '')}`"
    yield " ".join(command.help.split())
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    rows = [f"| `{written}` | {cell(words)} |" for written, words in filter(None, records) if written != "--help"]
    yield "\n".join(["| argument or option | what it says |", "|---|---|", *rows])


def cell(words: str) -> str:
    """Help as a cell of a table: characters with a meaning in Markdown are only characters.

    >>> cell("COLUMN=UNIT | size='small<large'  [default: 5]")
    "COLUMN=UNIT &#124; size='small&lt;large' &#91;default: 5&#93;"
    """
    text = escape(" ".join(words.split()), quote=False)
    for character in "|[]*_`":
        text = text.replace(character, f"&#{ord(character)};")
    return text
