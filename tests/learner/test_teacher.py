"""The teacher: what a row is told does not hang on its own label."""

from dataclasses import replace

import numpy as np
import pytest

from crystalogic.learner import teacher as teachers
from crystalogic.learner.task import Task
from crystalogic.learner.teacher import Lessons, Teacher, choose_teacher, soften, teach


def made_up_task(n_rows: int, seed: int = 0, *, weighed: bool = False) -> Task:
    random = np.random.default_rng(seed)
    truths = (random.random((n_rows, 9)) < 0.5).astype(np.float32)
    odds = 2 * truths[:, 0] - 2 * truths[:, 1] + truths[:, 2] * truths[:, 3]
    labels = (random.random(n_rows) < 1 / (1 + np.exp(-odds))).astype(float)
    weight = random.choice([0.5, 1.0, 3.0], n_rows) if weighed else np.ones(n_rows)
    return Task(truths, labels, weight, np.full(9, 0.25), np.zeros(9))


@pytest.mark.parametrize("weighed", [False, True])
def test_leaving_a_row_out_is_what_the_closed_form_says(weighed: bool) -> None:
    task, teacher = made_up_task(40, weighed=weighed), Teacher(1.0, 0.3)
    told = teach(task, teacher)
    mean, weight = task.base_rate, task.weight / task.weight.mean()
    distance = np.abs(task.truths[:, None] - task.truths[None]) @ task.reach
    kernel = teachers._kernel(distance, task.reach, teacher.width)
    for row in range(task.n_rows):
        rest = np.delete(np.arange(task.n_rows), row)
        inner = kernel[np.ix_(rest, rest)] + np.diag(teacher.ridge / weight[rest])
        predicted = mean + kernel[row, rest] @ np.linalg.solve(inner, task.goal[rest] - mean)
        assert told[row] == pytest.approx(np.clip(predicted, 0, 1), abs=1e-6)


def test_a_label_has_no_say_in_what_its_row_is_told() -> None:
    task, teacher = made_up_task(60), Teacher(1.0, 1.0)
    goal = task.goal.copy()
    goal[7] = 1 - goal[7]
    moved = np.abs(teach(replace(task, goal=goal), teacher) - teach(task, teacher))
    assert moved[7] < 1 / 60  # but for the mean of all labels


def test_some_rows_are_told_what_they_would_be_told_alone() -> None:
    task, teacher, some = made_up_task(80), Teacher(1.0, 0.3), np.arange(0, 80, 3)
    lessons = Lessons.of(task, teacher)
    assert lessons.teach(some) == pytest.approx(teach(task.take(some), teacher), abs=1e-9)
    goal = np.where(np.isin(np.arange(80), some), task.goal, 1 - task.goal)
    others_turned = Lessons.of(replace(task, goal=goal), teacher)
    assert (others_turned.teach(some) == lessons.teach(some)).all()


def test_many_rows_are_told_about_what_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    task = made_up_task(900)
    teacher = choose_teacher(task)
    exact = teach(task, teacher)
    monkeypatch.setattr(teachers, "MOST_ROWS", 300)
    assert np.abs(teach(task, teacher) - exact).max() < 0.02


def test_soft_targets_lie_between_label_and_teacher() -> None:
    assert soften(np.array([0.0, 1.0]), np.array([1.0, 1.0])).tolist() == [0.7, 0.99]


def test_the_teacher_predicts_better_than_the_frequency_of_the_classes() -> None:
    task = made_up_task(400, seed=3)
    told = teach(task, choose_teacher(task))
    assert np.mean((told - task.goal) ** 2) < 0.8 * np.mean((task.base_rate - task.goal) ** 2)


@pytest.mark.parametrize("n_rows", [60, 400])
def test_several_classes_are_taught_as_each_would_be_alone(monkeypatch: pytest.MonkeyPatch, n_rows: int) -> None:
    monkeypatch.setattr(teachers, "MOST_ROWS", 300)
    task, teacher = made_up_task(n_rows, weighed=True), Teacher(1.0, 0.3)
    both = np.column_stack([task.goal, 1 - task.goal])
    told = teach(replace(task, goal=both), teacher)
    assert told[:, 0] == pytest.approx(teach(task, teacher), abs=1e-9)
    assert told[:, 1] == pytest.approx(teach(replace(task, goal=both[:, 1]), teacher), abs=1e-9)
    assert soften(both, told).sum(axis=1) == pytest.approx(1)
