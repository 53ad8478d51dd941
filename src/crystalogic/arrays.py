"""numpy and pandas, loaded when they are first used: commands that only read a rule need not wait for them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["Array", "np", "pd"]

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:

    class _Library:
        """Stands for a module; each of its names is looked up once."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module(self._name), name)
            setattr(self, name, value)
            return value

        def __reduce__(self) -> Any:
            return _Library, (self._name,)

    class Array:
        """The type of arrays, where it is only named."""

    np, pd = _Library("numpy"), _Library("pandas")
