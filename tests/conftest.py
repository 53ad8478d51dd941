import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def compiled():
    """The search, compiled: the first one of a fresh checkout takes longer than some tests allow."""
    from crystalogic.search.warm import compile_kernels

    compile_kernels()
