import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def compiled():
    """The search, compiled: the first fit of a fresh checkout says that it compiles, these tests look elsewhere."""
    from crystalogic.search.warm import compile_kernels

    compile_kernels()
