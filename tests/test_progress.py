import signal
import threading
import time

import pytest

from crystalogic.progress import Clock, Stop


def test_ctrl_c_asks_the_clock_to_stop_and_the_second_breaks_off():
    clock = Clock()
    with clock.part():
        signal.raise_signal(signal.SIGINT)
        assert clock.is_over()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert clock.stop is Stop.INTERRUPTED


def test_ctrl_c_is_as_before_afterwards_and_in_other_threads():
    before = signal.getsignal(signal.SIGINT)
    with Clock().part():
        assert signal.getsignal(signal.SIGINT) is not before
        seen = []
        thread = threading.Thread(target=lambda: seen.append(Clock().part().__enter__()))
        thread.start()
        thread.join()
        assert seen == [None]
    assert signal.getsignal(signal.SIGINT) is before


def test_each_part_has_its_share_of_the_budget_and_what_was_left_over():
    """A budget for three classes was used up by the first: the others got the constant."""
    clock = Clock(0.2)
    for index in range(2):
        with clock.part(index, 2):
            assert not clock.is_over()
            time.sleep(0.11)
            assert clock.is_over()
        assert clock.stop is Stop.TIME


def test_a_part_that_ran_out_is_not_forgotten():
    clock = Clock(60)
    with clock.part(0, 2):
        clock.stop = Stop.TIME
    with clock.part(1, 2):
        assert not clock.is_over()
    assert clock.stop is Stop.TIME
