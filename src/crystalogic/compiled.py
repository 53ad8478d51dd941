"""numba, with a place for what it compiles: beside the source, in the user's cache, or else for this process alone.

numba refuses to load a kernel that it cannot keep anywhere. That is the case where the package and the home directory
are both read-only, as in many containers; then kernels go to a folder that is removed when the process ends.
"""

import atexit
import shutil
import tempfile

import numba as nb

from crystalogic.errors import CrystalogicError, refuse

__all__ = ["kernels_stay", "nb"]


def _can_keep() -> bool:
    """Whether the next process finds the kernels of this one; asked with a function that is never compiled."""
    try:
        nb.njit(cache=True)(_can_keep)
    except RuntimeError:  # no locator available
        return False
    return True


kernels_stay = _can_keep()
if not kernels_stay:
    try:
        folder = tempfile.mkdtemp(prefix="crystalogic-")  # readable by this user alone: numba runs what it finds there
    except OSError:
        what = "the search is compiled for this machine, and no folder can be written to keep it"
        refuse(CrystalogicError, f"{what}. Set NUMBA_CACHE_DIR or TMPDIR to one that can.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    nb.config.CACHE_DIR = folder  # type: ignore[attr-defined]
