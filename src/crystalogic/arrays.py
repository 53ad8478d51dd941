"""numpy and its arrays, loaded when the first array is made: commands that only read a rule need not wait for it."""

from typing import TYPE_CHECKING, Any

__all__ = ["Array", "np"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:

    class _Numpy:
        """Stands for the module; each of its names is looked up once."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    class Array:
        """The type of arrays, where it is only named."""

    np = _Numpy()
