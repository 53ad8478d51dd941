"""Print the lower bounds of what the package and its extras ask for, as exact pins."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = ("parquet", "dask", "figures", "onnx", "serve", "xlsx")
asked = [*project["dependencies"], *(each for extra in extras for each in project["optional-dependencies"][extra])]
pins = {re.sub(r">=([\w.]+).*", r"==\1", each) for each in asked}
print("\n".join(sorted(pins)))  # noqa: T201
