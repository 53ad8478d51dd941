"""A new table beside what a model was learned from: what changed, as typed values, as text and as a page."""

from crystalogic.watching.fits import Finding, Kind
from crystalogic.watching.watch import Watch, watch

__all__ = ["Finding", "Kind", "Watch", "watch"]
