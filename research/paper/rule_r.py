"""The paper's Rule R: approximate a threshold by a tree of two-input neurons, and say how well.

Rule R splits off one input: ψ(w₁x₁ + … + wₘxₘ + b) becomes ψ(ψ(w₁x₁ + … + b₀) + wₘxₘ + b₁), valid when b = b₀ + b₁
and neither part is constant. As thresholds: at least k of m becomes (at least k of m-1) ⊕ x, or
(at least k-1 of m-1) ⊗ x. Applied until every part satisfies Proposition 1, it gives chains
(…((x₁ ∘ x₂) ∘ x₃)…) ∘ xₘ with k - 1 times ⊗ and m - k times ⊕.

Which of several different literals stands where does not change λ, since Sₙ is closed under negation and λ averages
over all rows: so the C(m-1, k-1) orders of ⊗ and ⊕ are all the candidates that differ. Where a literal repeats, because
a weight is beyond ±1, its places matter too. A threshold of different literals strictly between conjunction and
disjunction is never equal to such a chain; `expand` is exact where Rule R is not.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from math import comb, exp

import numpy as np
from numpy.typing import NDArray

from crystalogic.crystal import Crystal
from crystalogic.errors import EvaluationError, TooLargeError
from crystalogic.logic.evaluate import lattice_degrees
from crystalogic.logic.formula import AtLeast, Formula, Variable, substitute
from crystalogic.symbolic.extract import Kind, Threshold, expand, read_threshold
from research.paper.similarity import lattice_sample

MOST_CANDIDATES = 5_000
SAMPLED_CANDIDATES = 300
MOST_LITERALS = 100
WORK = 2 * 10**6  # rows × candidates × literals that are evaluated where literals repeat
WORDS_AT_ONCE = 256

Word = tuple[bool, ...]  # for each literal after the first: joined by ⊗?


@dataclass(frozen=True)
class SplitOff:
    """One application of Rule R: at least `inner_k` of the others, joined to one literal by ⊗ or ⊕."""

    inner_k: int
    by_conjunction: bool


@dataclass(frozen=True)
class Approximation:
    """The candidate with the highest λ over Sₙ, and whether all candidates were tried."""

    formula: Formula
    similarity: float
    n: int
    n_candidates: int
    is_exhaustive: bool


def splits(threshold: Threshold) -> list[SplitOff]:
    """The valid ways to split off one input; which input it is makes no difference to the function's shape.

    >>> from crystalogic.logic.formula import variables
    >>> splits(Threshold(2, variables("a b c")))
    [SplitOff(inner_k=2, by_conjunction=False), SplitOff(inner_k=1, by_conjunction=True)]
    """
    m = len(threshold.literals)
    candidates = [SplitOff(threshold.k, False), SplitOff(threshold.k - 1, True)]
    return [split for split in candidates if m >= 2 and 1 <= split.inner_k <= m - 1]


def is_representable(threshold: Threshold, n: int = 4) -> bool:
    """Whether all applications of Rule R have λ = 1 over Sₙ: the paper's definition, decided exactly.

    A split depends on its inputs only through the sum s of the m - 1 inner literals and the literal x.
    """
    m, k = len(threshold.literals), threshold.k
    for split in splits(threshold):
        for s in range((m - 1) * n + 1):
            inner = min(n, max(0, s - (split.inner_k - 1) * n))
            for x in range(n + 1):
                joined = min(n, max(0, inner + x - n * split.by_conjunction))
                if joined != min(n, max(0, s + x - (k - 1) * n)):
                    return False
    return True


def approximate(threshold: Threshold, n: int = 4) -> Approximation:
    """The best chain that Rule R reaches; with λ = 1 when Proposition 1 holds already.

    >>> from crystalogic.logic.formula import variables
    >>> best = approximate(Threshold(2, variables("a b c")))
    >>> print(best.formula, round(best.similarity, 3))
    a ⊗ b ⊕ c 0.878
    """
    if threshold.kind is not Kind.THRESHOLD:
        return Approximation(expand(threshold), 1.0, n, 1, True)
    if n < 1:
        message = f"S_n needs a whole number n of at least 1, got {n!r}."
        raise EvaluationError(message)
    m, k = len(threshold.literals), threshold.k
    if m > MOST_LITERALS:
        message = f"Rule R is for at most {MOST_LITERALS} literals, got {m}. Extract with mode 'at_least'."
        raise TooLargeError(message)
    is_exhaustive = comb(m - 1, k - 1) <= MOST_CANDIDATES
    words = _all_words(m, k) if is_exhaustive else _some_words(m, k)
    if len(set(threshold.literals)) < m:
        return _approximate_repeated(threshold, words, n, is_exhaustive)
    errors = _mean_errors(words, m, k, n)
    best = min(range(len(words)), key=errors.__getitem__)
    return Approximation(_chain(words[best], threshold.literals), exp(-errors[best]), n, len(words), is_exhaustive)


def read_by_rule_r(crystal: Crystal, n: int = 4) -> Formula:
    """The formula of a crystal with one output, each of its thresholds approximated by Rule R."""
    n_inputs = len(crystal.inputs)
    known: dict[int, Formula] = {index: Variable(name) for index, name in enumerate(crystal.inputs)}
    for index in sorted(crystal.live):
        neuron = crystal.neurons[index]
        threshold = read_threshold([(known[source], weight) for source, weight in neuron.links], neuron.bias)
        known[n_inputs + index] = approximate(threshold, n).formula
    return known[crystal.outputs[0]]


def _approximate_repeated(threshold: Threshold, words: list[Word], n: int, are_all_words: bool) -> Approximation:
    """The best chain where literals repeat: arrangements as well as words, each measured as it is.

    The literals stand for independent inputs of the neuron, whatever formulas they are.
    """
    places = {literal: Variable(f"input {index}") for index, literal in enumerate(dict.fromkeys(threshold.literals))}
    inputs = tuple(places[literal] for literal in threshold.literals)
    target = AtLeast(threshold.k, *inputs)
    rows, are_all_rows = lattice_sample(tuple(place.name for place in places.values()), n)
    expected = lattice_degrees(target, rows, n)
    affordable = min(MOST_CANDIDATES, max(20, WORK // (len(expected) * len(inputs))))
    arrangements = list(islice(_arrangements(inputs), affordable))
    pairs = list(islice(product(words, arrangements), 1 + affordable))
    is_complete = len(pairs) <= affordable  # arrangements cut short make more pairs, for there are at least two words
    if not is_complete:  # a sample with a fixed seed, from all words and all arrangements
        draw = random.Random(0)
        shuffled = [tuple(draw.sample(inputs, len(inputs))) for _ in range(affordable)]
        pairs = [(draw.choice(words), each) for each in shuffled]
    chains = list(dict.fromkeys(_chain(word, each) for word, each in pairs))
    errors = [float(abs(lattice_degrees(chain, rows, n) - expected).mean()) / n for chain in chains]
    best = min(range(len(chains)), key=errors.__getitem__)
    formula = substitute(chains[best], {place: literal for literal, place in places.items()})
    return Approximation(formula, exp(-errors[best]), n, len(chains), are_all_words and are_all_rows and is_complete)


def _arrangements(inputs: tuple[Variable, ...]) -> Iterator[tuple[Variable, ...]]:
    """The different orders of inputs of which some are equal."""
    if not inputs:
        yield ()
    for first in dict.fromkeys(inputs):
        place = inputs.index(first)
        for rest in _arrangements(inputs[:place] + inputs[place + 1 :]):
            yield (first, *rest)


def _chain(word: Word, literals: tuple[Formula, ...]) -> Formula:
    """The literals joined from left to right; a run of one connective is one node."""
    chain = literals[0]
    for by_conjunction, literal in zip(word, literals[1:], strict=True):
        chain = chain & literal if by_conjunction else chain | literal
    return chain


def _all_words(m: int, k: int) -> list[Word]:
    def extend(prefix: Word, conjunctions: int, disjunctions: int) -> Iterator[Word]:
        if not conjunctions and not disjunctions:
            yield prefix
        if conjunctions:
            yield from extend((*prefix, True), conjunctions - 1, disjunctions)
        if disjunctions:
            yield from extend((*prefix, False), conjunctions, disjunctions - 1)

    return list(extend((), k - 1, m - k))


def _some_words(m: int, k: int) -> list[Word]:
    """The evenly mixed word and random ones with a fixed seed."""
    even = tuple((i * (k - 1)) // (m - 1) != ((i + 1) * (k - 1)) // (m - 1) for i in range(m - 1))
    draw = np.random.default_rng(0)
    sampled = [tuple(bool(value) for value in draw.permutation(even)) for _ in range(SAMPLED_CANDIDATES - 1)]
    return list(dict.fromkeys([even, *sampled]))


def _mean_errors(words: list[Word], m: int, k: int, n: int) -> list[float]:
    """The mean absolute error of each word, from the joint distribution of the sum and the chain's value."""
    target = np.clip(np.arange(m * n + 1) - (k - 1) * n, 0, n)
    gap = abs(target[:, None] - np.arange(n + 1)[None, :]) / n
    errors: list[float] = []
    for start in range(0, len(words), WORDS_AT_ONCE):
        block = np.array(words[start : start + WORDS_AT_ONCE])
        reached = np.zeros((len(block), m * n + 1, n + 1))  # P(sum = s, chain = v) for each word
        for x in range(n + 1):
            reached[:, x, x] = 1 / (n + 1)
        for position in range(m - 1):
            joined = np.empty_like(reached)
            for by_conjunction in (False, True):
                chosen = block[:, position] == by_conjunction
                joined[chosen] = _join(reached[chosen], by_conjunction, n)
            reached = joined
        errors += (reached * gap).sum(axis=(1, 2)).tolist()
    return errors


def _join(reached: NDArray[np.float64], by_conjunction: bool, n: int) -> NDArray[np.float64]:
    """The distributions after one more literal, uniform on Sₙ, joined to the chains."""
    after = np.zeros_like(reached)
    n_sums = reached.shape[1]
    for x in range(n + 1):
        for value in range(n + 1):
            new = min(n, max(0, value + x - n * by_conjunction))
            after[:, x:, new] += reached[:, : n_sums - x, value] / (n + 1)
    return after
