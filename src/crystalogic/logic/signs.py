"""With which sign the variables of a formula occur, which says how its degree can follow them."""

from crystalogic.logic.formula import Formula, Iff, Implies, Not, Variable
from crystalogic.logic.walk import subformulas

BOTH = frozenset((1, -1))


def signs(formula: Formula) -> dict[str, frozenset[int]]:
    """For each variable, the signs of its occurrences: 1 under an even number of negations, -1 under an odd one.

    Every connective but ↔ never falls as a part of it rises, except ¬ and the left side of →, which never rise. So by
    composition the degree never falls as a variable rises that occurs with the sign 1 alone, nor rises as one does that
    occurs with -1 alone, whatever the others are; a variable of both signs may do either.

    >>> from crystalogic.logic.parse import parse
    >>> {name: sorted(found) for name, found in signs(parse("(a → b) ⊗ at least 2 of (b, ¬c, a)")).items()}
    {'a': [-1, 1], 'b': [1], 'c': [-1]}
    """
    found: dict[Formula, frozenset[int]] = {formula: frozenset((1,))}
    nodes = subformulas(formula)
    for node in reversed(nodes):
        for place, part in enumerate(node.parts):
            is_turned = isinstance(node, Not) or (isinstance(node, Implies) and place == 0)
            passed = frozenset(-sign for sign in found[node]) if is_turned else found[node]
            found[part] = found.get(part, frozenset()) | (BOTH if isinstance(node, Iff) else passed)
    return {node.name: found[node] for node in nodes if isinstance(node, Variable)}
