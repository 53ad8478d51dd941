"""A teacher takes the noise out of the labels: each row's probability as the other rows see it.

A rule is chosen among thousands that fit the labels almost equally well. Which of them is best then hangs on a few rows
that happened to fall on one side. A smooth model of all columns tells such rows from the others. It is a ridge
regression with the kernel exp(-g · distance), where the distance of two rows adds up the facts in which they differ:
for a number the share of rows between the two values. Leaving one row out has a closed form, so every row is judged by
a model without its label, at the cost of one decomposition for each g, however many classes there are. The rule alone
decides rows later; the teacher is gone by then.
"""

from dataclasses import dataclass

from crystalogic.arrays import Array, np
from crystalogic.learner.task import Task, round_sums, spread_evenly

WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)  # of the kernel, times the square root of the number of columns
RIDGES = tuple(10.0 ** (each / 2) for each in range(-4, 5))
ADDITIVE = 0.0  # the width that stands for a plain sum over the columns
SHARE = 0.7  # of the teacher in a soft target; the label has the rest
ROWS_TO_CHOOSE = 300  # the width and the ridge from
MOST_ROWS = 1500  # that all see each other; of longer tables some rows are the centres of the kernel
N_CENTRES = 600
DIGITS = 9  # of soft targets: the others hang on how a processor rounds


@dataclass(frozen=True)
class Teacher:
    """The width and the ridge that predicted rows left out best."""

    width: float
    ridge: float
    share: float = SHARE


def choose_teacher(task: Task) -> Teacher:
    """The teacher whose predictions of labels left out are nearest to them; the goal of the task are the labels."""
    some = task.take(spread_evenly(task.n_rows, ROWS_TO_CHOOSE))
    distance = _distances(some.truths, some.truths, some.reach)
    best, least = Teacher(ADDITIVE, 1.0), np.inf
    for width in (*WIDTHS, ADDITIVE):
        for ridge, told in zip(RIDGES, _leave_out(_kernel(distance, some.reach, width), some, RIDGES), strict=True):
            error = float((some.weight @ (told - some.goal) ** 2).sum())
            if error < least * (1 - 1e-9):
                best, least = Teacher(width, ridge), error
    return best


def teach(task: Task, teacher: Teacher) -> Array:
    """For each row its probability, told by a model that has not seen its label."""
    if task.n_rows <= MOST_ROWS:
        return Lessons.of(task, teacher).teach(np.arange(task.n_rows))
    return _teach_by_centres(task, teacher)


@dataclass(frozen=True, eq=False)
class Lessons:
    """What a teacher needs to tell some of the rows as if there were no others: the inverse of its kernel matrix."""

    task: Task
    teacher: Teacher
    inverse: Array

    @staticmethod
    def of(task: Task, teacher: Teacher) -> "Lessons":
        """Those of a teacher about these rows, which all see each other."""
        root = _root(task)
        weighed = _likeness(task.truths, task.truths, task, teacher) * (root * root.T)
        weighed[np.diag_indices_from(weighed)] += teacher.ridge
        return Lessons(task, teacher, np.linalg.inv(weighed))

    def teach(self, rows: Array) -> Array:
        """For each of these rows its probability, told by a model of the others of them.

        The inverse of a part of a matrix follows from that of the whole (Schur's complement).
        """
        others = np.delete(np.arange(self.task.n_rows), rows)
        inverse, shared = self.inverse[np.ix_(rows, rows)], self.inverse[np.ix_(others, rows)]
        if len(others):
            inverse -= shared.T @ np.linalg.solve(self.inverse[np.ix_(others, others)], shared)
        task, root = self.task.take(rows), _root(self.task)[rows]
        return _tell(task, (inverse @ (root * _off_the_mean(task))) / np.diag(inverse)[:, None] / root)


def soften(labels: Array, told: Array, share: float = SHARE) -> Array:
    """Labels mixed with what a teacher told, to so many digits; those of several classes add up to 1."""
    if labels.ndim == 1:
        return np.clip((1 - share) * labels + share * told, 0.01, 0.99).round(DIGITS)
    return np.asarray(_share_out((1 - share) * labels + share * _share_out(told)).round(DIGITS))


def _share_out(told: Array) -> Array:
    """Probabilities of several classes, none of them 0, that add up to 1."""
    told = np.maximum(told, 0.002)
    return np.asarray(told / told.sum(axis=1, keepdims=True))


def _leave_out(kernel: Array, task: Task, ridges: tuple[float, ...]) -> list[Array]:
    """What each row would be told without its own label, for several ridges."""
    off, root = _off_the_mean(task), _root(task)
    values, vectors = np.linalg.eigh(kernel * (root * root.T))
    turned, squared = vectors.T @ (root * off), vectors * vectors
    told = []
    for ridge in ridges:
        inverse = 1 / (np.maximum(values, 0) + ridge)[:, None]
        told.append(_tell(task, (vectors @ (inverse * turned)) / (squared @ inverse) / root))
    return told


def _off_the_mean(task: Task) -> Array:
    """By how much each goal is off the mean, a column for each class."""
    return np.asarray((task.goal - task.weight @ task.goal / task.weight.sum()).reshape(task.n_rows, -1))


def _root(task: Task) -> Array:
    """The roots of the weights, as a column."""
    return np.asarray(np.sqrt(task.weight / task.weight.mean())[:, None])


def _tell(task: Task, missed: Array) -> Array:
    """What each row is told, given what is missing to its own goal."""
    return np.asarray(np.clip(task.goal - missed.reshape(task.goal.shape), 0, 1))


def _teach_by_centres(task: Task, teacher: Teacher) -> Array:
    """The same for many rows: the model is a sum of kernels around some of them."""
    centres = task.truths[spread_evenly(task.n_rows, N_CENTRES)]
    values, vectors = np.linalg.eigh(_likeness(centres, centres, task, teacher))
    large = values > 1e-6 * values.max()
    whiten = (vectors[:, large] / np.sqrt(values[large])).astype(np.float32)
    parts = np.array_split(np.arange(task.n_rows), -(-task.n_rows // 8192))
    likeness = (_likeness(task.truths[part], centres, task, teacher) for part in parts)
    near = np.concatenate([each.astype(np.float32) @ whiten for each in likeness])
    off, root = _off_the_mean(task), _root(task)
    weighed = near * (root * root).astype(np.float32)
    inverse = np.linalg.inv((weighed.T @ near).astype(np.float64) + teacher.ridge * np.eye(near.shape[1]))
    coefficients = inverse @ (weighed.T @ off)
    own = np.einsum("ij,ij->i", weighed @ inverse.astype(np.float32), near)[:, None]
    return _tell(task, (off - near @ coefficients) / np.maximum(1 - own, 1e-3))


def _likeness(some: Array, others: Array, task: Task, teacher: Teacher) -> Array:
    """How alike rows are to a teacher."""
    return _kernel(_distances(some, others, task.reach), task.reach, teacher.width)


def _kernel(distance: Array, reach: Array, width: float) -> Array:
    n_columns = max(1.0, 2 * float(reach.sum()))
    return 1 - distance / n_columns if width == ADDITIVE else np.exp(distance * (-width / np.sqrt(n_columns)))


def _distances(some: Array, others: Array, reach: Array) -> Array:
    """For each pair of rows the reach of the facts in which they differ."""
    reach = round_sums(reach)
    scaled = some * reach
    one, other = scaled.sum(axis=1), (others * reach).sum(axis=1)
    return np.asarray(np.maximum(one[:, None] + other - 2 * (scaled @ others.T), 0), np.float64)
