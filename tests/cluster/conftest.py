import pytest


@pytest.fixture(scope="session")
def cluster():
    """A client of two workers on this machine, each a process of one thread with a gigabyte of memory."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit="1GB",
            dashboard_address=":0",  # any free port: None is the usual one, which another cluster may have
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client
