"""Learn from a table in parts: survey, sample, search in stages, judge on unseen rows, polish and score on all rows."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal, Neuron
from crystalogic.encoding import Encoding
from crystalogic.errors import TrainingDataError
from crystalogic.scale.merge import merged_parts, packed_rows
from crystalogic.scale.overview import Overview
from crystalogic.scale.parts import Parts
from crystalogic.scale.plan import WHOLE, Plan
from crystalogic.scale.sample import Sample, draw
from crystalogic.scale.score import Aim, score
from crystalogic.scale.stages import Stages
from crystalogic.search import Annealing, Candidate, Features, Front, Knowledge, SearchResult, search
from crystalogic.search.clock import Callback, Clock, Stop

Array = NDArray[Any]
