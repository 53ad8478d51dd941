"""The time that a question is allowed: one deadline is passed to all that works on the answer, and all of it looks."""

import time
from dataclasses import dataclass

from crystalogic.errors import CrystalogicError, refuse_first

MOST_SECONDS = 1_000_000


class TimeUp(Exception):
    """The time allowed is over."""


@dataclass(frozen=True)
class Deadline:
    """So many seconds, which end at a moment of `time.monotonic`."""

    seconds: float
    end: float

    @staticmethod
    def after(seconds: float) -> "Deadline":
        """The deadline in so many seconds; a CrystalogicError unless that can be waited for."""
        message = f"the time allowed is a number of seconds up to {MOST_SECONDS:,}, got {seconds!r}."
        refuse_first(CrystalogicError, {message: not 0 < seconds <= MOST_SECONDS})
        return Deadline(seconds, time.monotonic() + seconds)

    def check(self) -> None:
        """TimeUp if the time is over. It costs a tenth of a microsecond: loops may ask in every turn."""
        if time.monotonic() >= self.end:
            raise TimeUp

    @property
    def milliseconds(self) -> int:
        """What is left for z3, at least 1; TimeUp if there is nothing left."""
        self.check()
        return max(1, int(min(self.end - time.monotonic(), MOST_SECONDS) * 1000))

    @property
    def undecided(self) -> str:
        """What is said when the time is over."""
        return f"undecided after {self.seconds:g} s; allow more time, or declare a smaller scope"
