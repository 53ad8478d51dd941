"""numpy and pandas are loaded when they are first used, and not before."""

import pickle
import subprocess
import sys

import pandas

PROGRAM = """
import sys
from crystalogic.arrays import np
from crystalogic.model import Model
print("numpy" in sys.modules)
import numpy
print(np.zeros(2).tolist(), np.asarray is numpy.asarray)
"""


def test_numpy_waits_until_it_is_used():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n[0.0, 0.0] True\n"


def test_a_name_that_numpy_does_not_have_is_refused_as_numpy_does():
    program = "from crystalogic.arrays import np; np.no_such_name"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "has no attribute 'no_such_name'" in done.stderr


def test_what_stands_for_a_library_can_go_to_a_worker():
    from crystalogic.arrays import pd

    assert pickle.loads(pickle.dumps(pd)).Series is pandas.Series
