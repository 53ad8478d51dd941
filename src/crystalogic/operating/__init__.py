"""Operating points: from which score on the class is decided for, and of which scores a person is asked."""

from crystalogic.operating.aim import AIMS, Aim, Cost
from crystalogic.operating.point import Operated, count_rows, operate, promises_share, set_point, threshold_at

__all__ = ["AIMS", "Aim", "Cost", "Operated", "count_rows", "operate", "promises_share", "set_point", "threshold_at"]
