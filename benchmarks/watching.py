"""`watch` in figures: planted changes that are found and named, and unchanged tables that raise a false alarm.

Run `make bench-watch`, or `python -m benchmarks.watching [develop] [seeds=0-0] [alarms=200]`. Every planted change is
made in fresh rows of a source that a model was fitted on, in a column that its rule reads. It counts as found only if a
finding has the right kind, the right column and, for units, the right factor. An alarm is false if `watch` finds
anything in fresh rows of the same source. `develop` takes other tables, on which the limits of `watch` were set, and
seeds from 100 on.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import crystalogic as cl
from crystalogic.model import Model
from crystalogic.watching import Finding, Kind, Watch

N_TRAIN, N_NEW = 1500, 500
Rng = np.random.Generator
Change = Callable[[pd.DataFrame, Rng], pd.DataFrame]


@dataclass(frozen=True)
class Source:
    """Rows with a known origin: `draw(n, rng)` gives fresh ones; the target is y."""

    name: str
    draw: Callable[[int, Rng], pd.DataFrame]
    grades: Any = False

    def fit(self, seed: int) -> Model:
        """A model of some of its rows."""
        rows = self.draw(N_TRAIN, np.random.default_rng([seed, 1]))
        rule = cl.LukasiewiczClassifier(ordered=self.grades)
        return rule.fit(rows.drop(columns="y"), rows["y"]).model_


def table(name: str) -> Source:
    """A table of the package; a half of its rows is trained on, the others are fresh."""
    data = cl.datasets.load(name)
    frame = data.frame().assign(y=list(map(str, data.labels)))
    halves = np.random.default_rng(0).permutation(len(frame)) % 2 == 0

    def draw(n: int, rng: Rng) -> pd.DataFrame:
        half = frame[halves] if n == N_TRAIN else frame[~halves]
        return half.sample(min(n, len(half) * (10 if n == N_TRAIN else 8) // 10), random_state=rng)

    return Source(name, draw)


def _sigmoid(z: Any) -> Any:
    return 1 / (1 + np.exp(-z))


def loans(n: int, rng: Rng) -> pd.DataFrame:
    """Two classes; years, months, money, percent, a category and codes with leading zeros."""
    job, income = rng.gamma(2, 4, n).round(1), rng.lognormal(10.3, 0.5, n).round()
    rate, term = rng.normal(7, 2, n).clip(1).round(2), rng.choice([12.0, 24.0, 36.0, 48.0, 60.0, 72.0], n)
    home = rng.choice(["Own", "Rent", "Living with parents"], n, p=[0.45, 0.4, 0.15])
    branch = rng.choice(["007", "012", "103"], n, p=[0.5, 0.3, 0.2])
    z = 1.6 * (rate > 7.5) + 1.4 * (job < 5) + 1.5 * (income < 28_000) + 1.3 * (home == "Rent") + 1.4 * (term > 40)
    z = 1.8 * (z + 1.5 * (branch == "103") - 3.6)
    columns = {"job_years": job, "income": income, "rate": rate, "term": term, "home": home, "branch": branch}
    return pd.DataFrame({**columns, "y": np.where(rng.random(n) < _sigmoid(z), "bad", "good")})


def stays(n: int, rng: Rng) -> pd.DataFrame:
    """Three grades; centimetres, pounds, hours, Celsius."""
    height, weight = rng.normal(170, 9, n).round(), rng.normal(78, 14, n).round(1)
    wait, fever = rng.gamma(1.5, 8, n).round(1), rng.normal(37.4, 0.9, n).round(1)
    way = rng.choice(["walk in", "ambulance", "referred"], n, p=[0.5, 0.3, 0.2])
    z = 1.5 * (fever > 38) + 1.2 * (wait > 12) + 1.4 * (weight > 85) + 1.6 * (way == "ambulance") - 0.9 * (height > 175)
    grade = np.digitize(z + rng.logistic(0, 0.35, n), [0.8, 2.4])
    return pd.DataFrame({"height": height, "weight": weight, "wait": wait, "temp": fever, "way": way, "y": grade})


def fruits(n: int, rng: Rng) -> pd.DataFrame:
    """Three classes without an order."""
    kind = rng.choice(["apple", "lemon", "plum"], n, p=[0.5, 0.3, 0.2])
    mass = rng.normal(np.where(kind == "apple", 180, np.where(kind == "lemon", 110, 60)), 18).round()
    sugar = rng.normal(np.where(kind == "lemon", 2.5, 10.5), 1.6).clip(0.1).round(1)
    skins = np.where(rng.random(n) < 0.85, np.where(kind == "plum", "dark", "bright"), "mottled")
    return pd.DataFrame({"mass": mass, "sugar": sugar, "skin": skins, "y": kind})


def churn(n: int, rng: Rng) -> pd.DataFrame:
    """Two classes, for development."""
    tenure, bill = rng.gamma(1.4, 18, n).round().clip(1), rng.normal(64, 22, n).clip(15).round(2)
    calls, plan = rng.poisson(1.6, n), rng.choice(["basic", "plus", "pro"], n, p=[0.5, 0.35, 0.15])
    pay = rng.choice(["card", "bank transfer", "mailed check"], n)
    z = 1.7 * (tenure < 12) + 1.3 * (bill > 75) + 1.4 * (calls > 2) + 1.3 * (plan == "basic") + (pay == "mailed check")
    left = rng.random(n) < _sigmoid(1.7 * (z - 2.7))
    return pd.DataFrame({"tenure": tenure, "bill": bill, "calls": calls, "plan": plan, "pay": pay, "y": left * 1})


def pain(n: int, rng: Rng) -> pd.DataFrame:
    """Three grades, for development."""
    dose, age = rng.lognormal(2.5, 0.6, n).round(1), rng.normal(52, 16, n).clip(18, 95).round()
    ward = rng.choice(["A1", "A2", "B1", "C4"], n, p=[0.4, 0.3, 0.2, 0.1])
    warm = rng.normal(36.9, 0.8, n).round(1)
    z = 1.5 * (dose > 12) + 1.5 * (age > 60) + 1.4 * (ward == "B1") + 1.2 * (warm > 37.5)
    return pd.DataFrame({"dose": dose, "age": age, "ward": ward, "warm": warm, "y": np.digitize(z, [1, 2.6])})


@dataclass(frozen=True)
class Planted:
    """A change, made in rows of a source, and what is to be found."""

    source: str
    words: str
    change: Change
    kinds: tuple[Kind, ...]
    column: str
    about: str = ""
    factor: float | None = None

    def is_named(self, found: Watch) -> bool:
        """Whether a finding is this change."""
        return any(map(self._is, found.findings))

    def _is(self, each: Finding) -> bool:
        places = {each.column, each.about} if each.kind is Kind.SWAPPED else {each.column}
        right_factor = self.factor is None or abs((each.factor or 0) / self.factor - 1) < 0.01
        return each.kind in self.kinds and self.column in places and self.about in (each.about or "") and right_factor


def edit(column: str, how: Callable[[Any, Rng], Any]) -> Change:
    """The table with one column changed."""
    return lambda rows, rng: rows.assign(**{column: how(rows[column], rng)})


def some(share: float, how: Callable[[Any], Any]) -> Callable[[Any, Rng], Any]:
    """A change of a share of the rows."""
    return lambda cells, rng: cells.astype(object).where(rng.random(len(cells)) >= share, how(cells))


def unit(source: str, column: str, factor: float) -> Planted:
    """Numbers in another unit."""
    words = f"{column} × {factor:.4g}"
    return Planted(source, words, edit(column, lambda x, _: x * factor), (Kind.UNIT,), column, factor=factor)


def swap(source: str, one: str, other: str) -> Planted:
    """Two columns exchanged."""
    change: Change = lambda rows, _: rows.assign(**{one: rows[other], other: rows[one]})  # noqa: E731
    return Planted(source, f"{one} and {other} exchanged", change, (Kind.SWAPPED,), one)


def rename(source: str, column: str, other: str) -> Planted:
    """A column under another name."""
    change: Change = lambda rows, _: rows.rename(columns={column: other})  # noqa: E731
    return Planted(source, f"{column} renamed to {other}", change, (Kind.RENAMED,), column, other)


def missing(source: str, column: str, share: float) -> Planted:
    """Gaps."""
    change = edit(column, some(share, lambda cells: pd.Series(None, cells.index, object)))
    return Planted(source, f"{column} missing in {share:.0%} more rows", change, (Kind.MISSING,), column)


def shift(source: str, column: str, by: float) -> Planted:
    """Numbers moved by so many standard deviations."""
    change = edit(column, lambda x, _: (x + by * x.std()).round(2))
    return Planted(source, f"{column} + {by} sd", change, (Kind.SHIFTED, Kind.FACT), column)


def level(source: str, column: str, kind: Kind, words: str, about: str, how: Callable[[Any, Rng], Any]) -> Planted:
    """Values of a category changed."""
    return Planted(source, f"{column}: {words}", edit(column, how), (kind,), column, about)


def vanish(source: str, column: str, value: Any) -> Planted:
    """Rows with a value left out."""
    change: Change = lambda rows, _: rows[rows[column].astype(str) != value]  # noqa: E731
    return Planted(source, f"{column}: no {value}", change, (Kind.VANISHED,), column, value)


def flip(source: str, one: Any, other: Any) -> Planted:
    """Two labels exchanged."""
    change = edit("y", lambda y, _: y.map(lambda label: other if label == one else one if label == other else label))
    return Planted(source, f"labels {one} and {other} exchanged", change, (Kind.FLIPPED,), "y")


def noise(source: str, share: float) -> Planted:
    """Labels that no longer follow from the columns."""
    change = edit("y", lambda y, rng: y.where(rng.random(len(y)) >= share, rng.permutation(y)))
    return Planted(source, f"{share:.0%} of the labels at random", change, (Kind.ACCURACY,), "y")


def planted() -> Iterator[Planted]:
    """The forty changes that are reported."""
    yield unit("loans", "job_years", 12)
    yield unit("loans", "term", 30)
    yield unit("loans", "term", 1 / 12)
    yield unit("loans", "rate", 1 / 100)
    yield unit("loans", "income", 1 / 1000)
    yield unit("stays", "height", 1 / 2.54)
    yield unit("stays", "weight", 1 / 0.4536)
    yield unit("stays", "wait", 60)
    yield unit("stays", "wait", 1 / 24)
    yield unit("fruits", "mass", 1 / 1000)
    yield unit("fruits", "sugar", 7)
    fever = edit("temp", lambda x, _: x * 1.8 + 32)
    yield Planted("stays", "temp in Fahrenheit", fever, (Kind.UNIT,), "temp", "Fahrenheit")
    yield swap("loans", "job_years", "rate")
    yield swap("loans", "home", "branch")
    yield swap("stays", "height", "weight")
    yield swap("fruits", "mass", "sugar")
    yield swap("mushroom", "odor", "spore-print-color")
    yield level("loans", "branch", Kind.CODE, "leading zeros lost", "7 for 007", lambda x, _: x.str.lstrip("0"))
    yield level("loans", "home", Kind.CODE, "capitals", "RENT for Rent", lambda x, _: x.str.upper())
    yield level("stays", "way", Kind.CODE, "underscores", "walk_in", lambda x, _: x.str.replace(" ", "_"))
    yield level("mushroom", "odor", Kind.CODE, "some in capitals", "N for n", some(0.2, lambda x: x.str.upper()))
    yield level("loans", "home", Kind.NEW, "a new value", "Boat", some(0.06, lambda _: "Boat"))
    yield level("stays", "way", Kind.NEW, "a new value", "helicopter", some(0.05, lambda _: "helicopter"))
    yield level("mushroom", "odor", Kind.NEW, "a new value", "z", some(0.05, lambda _: "z"))
    yield vanish("loans", "home", "Rent")
    yield vanish("mushroom", "odor", "f")
    yield missing("loans", "income", 0.1)
    yield missing("stays", "way", 0.12)
    yield missing("mushroom", "odor", 0.1)
    yield missing("fruits", "sugar", 0.08)
    yield rename("loans", "income", "Income (EUR)")
    yield rename("stays", "wait", "hours_in_queue")
    yield rename("mushroom", "odor", "smell")
    yield shift("loans", "rate", 0.7)
    yield shift("stays", "temp", 0.7)
    yield shift("fruits", "mass", 0.6)
    texts = edit("weight", some(0.3, lambda x: x.astype(str) + " kg"))
    yield Planted("stays", "weight as text", texts, (Kind.TYPE,), "weight", "kg")
    yield flip("loans", "bad", "good")
    yield flip("fruits", "apple", "lemon")
    yield noise("stays", 0.5)


def rehearsed() -> Iterator[Planted]:
    """Changes for development."""
    for factor in (12, 30, 1 / 7, 24, 1 / 60, 100, 1000, 2.54, 1 / 0.4536):
        yield unit("churn", "tenure", factor)
        yield unit("churn", "bill", 1 / factor)
        yield unit("pain", "dose", factor)
    yield Planted("pain", "warm in Fahrenheit", edit("warm", lambda x, _: x * 1.8 + 32), (Kind.UNIT,), "warm", "Fahren")
    for one, other in (("tenure", "bill"), ("plan", "pay"), ("tenure", "plan")):
        yield swap("churn", one, other)
    yield swap("pain", "dose", "age")
    yield swap("heart", "cp", "thal")
    yield level("churn", "plan", Kind.CODE, "capitals", "BASIC", lambda x, _: x.str.upper())
    yield level("pain", "ward", Kind.CODE, "spaces", "B 1 for B1", lambda x, _: x.str[0] + " " + x.str[1])
    yield level("pain", "ward", Kind.NEW, "a new value", "D9", some(0.04, lambda _: "D9"))
    yield vanish("heart", "cp", "4")
    yield missing("churn", "bill", 0.07)
    yield missing("heart", "thal", 0.2)
    yield rename("heart", "ca", "vessels")
    yield rename("churn", "tenure", "months")
    for by in (0.5, 0.7, 1.0, -0.7):
        yield shift("churn", "bill", by)
        yield shift("pain", "age", by)
    yield flip("churn", 0, 1)
    yield flip("heart", "0", "1")
    yield flip("pain", 0, 2)
    yield noise("pain", 0.4)
    yield noise("churn", 0.6)


def run(sources: list[Source], changes: list[Planted], seeds: list[int], n_alarms: int) -> None:
    """Prints what was missed and both figures."""
    models = {(each.name, seed): each.fit(seed) for each in sources for seed in seeds}
    draws = {each.name: each.draw for each in sources}
    n_named = n_tried = n_false = n_unchanged = 0
    for seed in seeds:
        for place, each in enumerate(changes):
            model = models[each.source, seed]
            rng = np.random.default_rng([seed, 2, place])
            found = cl.watch(model, each.change(draws[each.source](N_NEW, rng), rng))
            n_tried, n_named = n_tried + 1, n_named + each.is_named(found)
            if not each.is_named(found):
                told = "; ".join(f"{one.kind.name} {one.column} {one.about}" for one in found.findings) or "nothing"
                read = "" if each.column in (*model.columns, "y") else " (the rule does not read it)"
                print(f"missed, {each.source}, seed {seed}: {each.words}{read}; found {told}")
        for place in range(n_alarms):
            source = sources[place % len(sources)]
            rows = source.draw(N_NEW, np.random.default_rng([seed, 3, place]))
            rows = rows if place % 2 else rows.drop(columns="y")
            found = cl.watch(models[source.name, seed], rows)
            n_unchanged, n_false = n_unchanged + 1, n_false + bool(found.findings)
            for one in found.findings:
                print(
                    f"false alarm, {source.name}, seed {seed}, draw {place}: {one.kind.name} {one.column} {one.about}"
                )
    print(f"planted changes found and named: {n_named} of {n_tried}")
    print(f"unchanged tables with a false alarm: {n_false} of {n_unchanged}")


def main(arguments: list[str]) -> None:
    """The figures that the arguments ask for."""
    options = dict(each.split("=") for each in arguments if "=" in each)
    is_developing = "develop" in arguments
    low, _, high = options.get("seeds", "100-101" if is_developing else "0-0").partition("-")
    seeds = list(range(int(low), int(high or low) + 1))
    if is_developing:
        made = [Source("churn", churn), Source("pain", pain, True), table("heart"), table("monks-2")]
    else:
        made = [Source("loans", loans), Source("stays", stays, True), Source("fruits", fruits)]
        made += [table("mushroom"), table("breast-cancer")]
    changes = list(rehearsed() if is_developing else planted())
    run(made, changes, seeds, int(options.get("alarms", 200)))


if __name__ == "__main__":
    main(sys.argv[1:])
