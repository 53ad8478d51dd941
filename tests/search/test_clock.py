import signal
import threading

import pytest

from crystalogic.search.clock import Clock, Stop


def test_ctrl_c_asks_the_clock_to_stop_and_the_second_breaks_off():
    clock = Clock()
    with clock.interruptible():
        signal.raise_signal(signal.SIGINT)
        assert clock.is_over()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert clock.stop is Stop.INTERRUPTED


def test_ctrl_c_is_as_before_afterwards_and_in_other_threads():
    before = signal.getsignal(signal.SIGINT)
    with Clock().interruptible():
        assert signal.getsignal(signal.SIGINT) is not before
        seen = []
        thread = threading.Thread(target=lambda: seen.append(Clock().interruptible().__enter__()))
        thread.start()
        thread.join()
        assert seen == [None]
    assert signal.getsignal(signal.SIGINT) is before
