"""Crystalogic: short logical formulas from tables, proved to be the network they were read from."""

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"


def _places() -> dict[str, str]:
    """The module of every public name, as the stub beside this file imports it."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


# Everything is imported when it is first used, so that `import crystalogic` stays quick.
_PLACES = _places()
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        message = f"module 'crystalogic' has no attribute {name!r}"
        raise AttributeError(message)
    place = _PLACES[name]
    value = import_module(f"{place}.{name}") if place == "crystalogic" else getattr(import_module(place), name)
    globals()[name] = value
    return value
