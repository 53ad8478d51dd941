"""The crystallized network as a drawing: inputs on the left, neurons in layers, decisions on the right."""

from dataclasses import dataclass

from crystalogic.crystal import Crystal, Neuron
from crystalogic.errors import TooLargeError
from crystalogic.logic.formula import Variable
from crystalogic.model import Model
from crystalogic.symbolic.read import Kind, read_threshold

MOST_BOXES = 80  # beyond it a drawing is not readable
MOST_LETTERS = 34
KEPT_END = 10  # of these, letters at the end of a long text
LETTER, HEIGHT, GAP, MARGIN = 7.8, 30, 14, 12  # pixels, for letters of 13 pixels
BETWEEN = 110  # pixels between layers, for the links


@dataclass(frozen=True)
class Box:
    """An input, a neuron or an output, at its place."""

    kind: str  # "input", "neuron" or "output"
    text: str
    title: str
    x: float
    y: float  # of its middle
    width: float


@dataclass(frozen=True)
class Link:
    """From one box to another; the text is a weight beyond 1."""

    source: Box
    target: Box
    is_negated: bool
    text: str = ""

    @property
    def middle(self) -> tuple[float, float]:
        """A place on the curve for its text, nearer to the source, where few curves meet."""
        x1, y1, x2, y2 = self.source.x + self.source.width, self.source.y, self.target.x, self.target.y
        return x1 + (x2 - x1) * 0.3, y1 + (y2 - y1) * 0.216  # of a curve that leaves and arrives level

    @property
    def path(self) -> str:
        """The curve, for the attribute `d`."""
        x1, y1, x2, y2 = self.source.x + self.source.width, self.source.y, self.target.x, self.target.y
        bend = min(60.0, (x2 - x1) / 2)
        return f"M{x1:.1f} {y1:.1f}C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"


@dataclass(frozen=True)
class Drawing:
    """Boxes and the links between them, within a width and a height."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]


def drawing(model: Model) -> Drawing | None:
    """The network of a model as a drawing; None where it is too large to be read."""
    crystal = model.crystal
    live = sorted(crystal.live)
    values = [*range(len(crystal.inputs)), *(len(crystal.inputs) + index for index in live)]
    if len(values) > MOST_BOXES:
        return None
    layers = _layers(crystal, values)
    ends = [f"{model.target} = {label}" for label in _spoken_for(model)] or [model.target]
    outputs = {-1 - index: end for index, end in enumerate(ends)}
    try:
        texts = {value: _text(crystal, value) for value in values} | outputs
    except TooLargeError:
        return None
    layers.append(list(outputs))
    links = [
        (source, value, weight) for value in values for source, weight in _neuron(crystal, value).links
    ] + [(output, -1 - index, 1) for index, output in enumerate(crystal.outputs)]  # fmt: skip
    return _place(texts, layers, links, len(crystal.inputs))


def _spoken_for(model: Model) -> tuple[object, ...]:
    return () if model.classes is None else model.classes[-len(model.formulas) :]


def _neuron(crystal: Crystal, value: int) -> Neuron:
    n_inputs = len(crystal.inputs)
    return Neuron((), (), 0) if value < n_inputs else crystal.neurons[value - n_inputs]


def _layers(crystal: Crystal, values: list[int]) -> list[list[int]]:
    depth: dict[int, int] = {}
    for value in values:
        is_input = value < len(crystal.inputs)
        depth[value] = 0 if is_input else 1 + max((depth[s] for s in _neuron(crystal, value).sources), default=0)
    return [[value for value in values if depth[value] == layer] for layer in range(max(depth.values(), default=0) + 1)]


def _text(crystal: Crystal, value: int) -> str:
    """What a box says: the name of an input, or what a neuron asks of its sources."""
    if value < len(crystal.inputs):
        return crystal.inputs[value]
    neuron = _neuron(crystal, value)
    read = read_threshold([(Variable(f"x{source}"), weight) for source, weight in neuron.links], neuron.bias)
    m = len(read.literals)
    return {
        Kind.CONSTANT: "always" if read.k <= 0 else "never",
        Kind.LITERAL: "as it is",
        Kind.CONJUNCTION: f"all {m}",
        Kind.DISJUNCTION: f"any of {m}",
        Kind.THRESHOLD: f"at least {read.k} of {m}",
    }[read.kind]


def _place(texts: dict[int, str], layers: list[list[int]], links: list[tuple[int, int, int]], n_inputs: int) -> Drawing:
    sources: dict[int, list[int]] = {}
    for source, target, _ in links:
        sources.setdefault(target, []).append(source)
    height = MARGIN * 2 + max(len(layer) for layer in layers) * (HEIGHT + GAP) - GAP
    boxes: dict[int, Box] = {}
    x = float(MARGIN)
    for layer in (layer for layer in layers if layer):
        short = {value: _short(texts[value]) for value in layer}
        width = max(map(len, short.values())) * LETTER + 20
        wanted = {value: _mean([boxes[source].y for source in sources.get(value, [])]) for value in layer}
        ordered = sorted(layer, key=lambda value: wanted[value])
        for value, y in zip(ordered, _spread([wanted[value] for value in ordered], height), strict=True):
            kind = "output" if value < 0 else "input" if value < n_inputs else "neuron"
            boxes[value] = Box(kind, short[value], texts[value], x, y, width)
        x += width + BETWEEN
    drawn = [
        Link(boxes[source], boxes[target], weight < 0, f"×{abs(weight)}" if abs(weight) > 1 else "")
        for source, target, weight in links
    ]
    return Drawing(x - BETWEEN + MARGIN, height, tuple(boxes.values()), tuple(drawn))


def _spread(wanted: list[float], height: float) -> list[float]:
    """Places close to those wanted, which ascend, but apart from each other and within the height."""
    apart = HEIGHT + GAP
    places: list[float] = []
    for y in wanted:
        places.append(max(y, places[-1] + apart if places else MARGIN + HEIGHT / 2))
    limit = height - MARGIN - HEIGHT / 2
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], limit)
        limit = places[index] - apart
    return places


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _short(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= MOST_LETTERS:
        return line
    return line[: MOST_LETTERS - 1 - KEPT_END] + "…" + line[-KEPT_END:]  # facts of one column differ at their ends
