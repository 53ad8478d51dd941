"""Templates of the package, filled in: pages of HTML, whose values are escaped, and of text, whose values are one line.

In text, a table stands in a block `{% filter table %}`, a line for each row, its cells separated by tabs.
"""

from functools import cache
from importlib import resources
from typing import Any

from crystalogic.counts import count
from crystalogic.logic.names import one_line, visible
from crystalogic.words.tables import table_text


def package_file(room: str, name: str) -> str:
    """The text of a file of the package: a template, a style or a script."""
    return resources.files(f"crystalogic.{room}").joinpath(name).read_text(encoding="utf-8")


@cache
def _template(room: str, name: str) -> Any:
    from jinja2 import Environment, StrictUndefined

    is_page = name.endswith(".html")
    environment = Environment(
        autoescape=is_page,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_show_text if is_page else one_line,
    )
    environment.filters["table"] = _align
    return environment.from_string(package_file(room, name))


def _show_text(value: Any) -> Any:
    """Texts in a page as they can be seen; what the template marks as safe stays as it is."""
    return visible(value) if type(value) is str else value


def _align(rows: str, n_left: int = 1) -> str:
    return table_text("", [row.split("\t") for row in rows.split("\n") if row], n_left=n_left) + "\n"


def fill_template(room: str, name: str, **values: Any) -> str:
    """A template with these values; a lone half of a character, which cannot be written, becomes a question mark."""
    text = _template(room, name).render(count=count, **values).strip()
    return text.encode("utf-8", "replace").decode("utf-8") + "\n" if name.endswith(".html") else str(text)
