import importlib.util

import pytest

from crystalogic.search import learn

KERNEL = "import numba as nb\n\n@nb.njit(cache=True)\ndef plus_one(x):\n    return x + 1\n"


@pytest.mark.usefixtures("compiled")
def test_after_compiling_every_kernel_is_ready():
    assert learn.kernels_are_compiled()


def test_a_kernel_is_ready_once_it_was_compiled_and_not_after_its_source_changed(tmp_path, monkeypatch):
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)

    def is_ready_in_a_new_process(run=False):
        specification = importlib.util.spec_from_file_location("kernel", path)
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        monkeypatch.setattr(learn, "ENTRIES", (module.plus_one,))
        ready = learn.kernels_are_compiled()
        assert not run or module.plus_one(1) == 2
        assert not run or learn.kernels_are_compiled()
        return ready

    assert not is_ready_in_a_new_process(run=True)
    assert is_ready_in_a_new_process()
    path.write_text(KERNEL.replace("x + 1", "x + 1000 - 999"))
    assert not is_ready_in_a_new_process()
