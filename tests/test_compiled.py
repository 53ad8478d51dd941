import os
import subprocess
import sys

# Of numba's places for kernels only the one that a user names is left, as where package and home are read-only.
NOWHERE = """
from numba.core import caching
caching.CacheImpl._locator_classes = [
    each for each in caching.CacheImpl._locator_classes if each.__name__ == "UserProvidedCacheLocator"
    or each.__name__ == "_UserProvidedCacheLocator"
]
import os, pathlib
from crystalogic.compiled import kernels_stay, nb
folder = pathlib.Path(nb.config.CACHE_DIR or ".")
from crystalogic.search import lanes
print(kernels_stay, folder.is_dir(), oct(folder.stat().st_mode & 0o777), folder)
"""


def in_a_process_without_a_place(tmp_path, **more):
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"TMPDIR": str(tmp_path)} | more
    command = [sys.executable, "-c", NOWHERE]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


def test_kernels_load_where_package_and_home_are_read_only(tmp_path):
    """numba said "no locator available", and `fit` in a container ended in a traceback."""
    stay, is_there, mode, folder = in_a_process_without_a_place(tmp_path)
    assert (stay, is_there, mode) == ("False", "True", "0o700")
    assert folder.startswith(str(tmp_path))
    assert not os.path.exists(folder)


def test_a_folder_that_the_user_names_keeps_the_kernels(tmp_path):
    stay, *_, folder = in_a_process_without_a_place(tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "kept"))
    assert (stay, folder) == ("True", str(tmp_path / "kept"))
