from fractions import Fraction

import pytest
from hypothesis import given

from crystalogic import DocumentError, Domain, DomainError
from strategies import NAMES, domains_with_rows


@given(domains_with_rows())
def test_a_domain_contains_its_rows_and_lists_their_boolean_part(drawn):
    domain, row = drawn
    assert domain.contains(row)
    part = {name: int(row[name]) for name in NAMES if domain.is_boolean(name)}
    listed = list(domain.boolean_rows(NAMES))
    assert part in listed
    assert len(listed) == len({tuple(sorted(case.items())) for case in listed})
    assert all(domain.contains({name: Fraction(value) for name, value in case.items()}) for case in listed)
    assert Domain.from_content(domain.content()) == domain


@given(domains_with_rows(), domains_with_rows())
def test_a_domain_that_includes_another_contains_its_rows(drawn, other_drawn):
    (domain, row), (other, _) = drawn, other_drawn
    assert domain.includes(domain)
    assert domain.includes(domain.restrict(NAMES))
    assert domain.restrict(NAMES[:3]).includes(domain)
    if other.includes(domain):
        assert other.contains(row)


def test_a_domain_does_not_include_what_goes_beyond_it():
    pair = Domain(exclusive=[["a", "b"]])
    assert pair.includes(Domain(exclusive=[["a", "b", "c"]]))
    assert not pair.includes(Domain(boolean=["a", "b"]))
    assert not Domain(one_hot=[["a", "b"]]).includes(pair)
    assert pair.includes(Domain(one_hot=[["a", "b"]]))
    assert not Domain(boolean=["a"]).includes(Domain())


def test_a_row_outside_is_not_contained():
    domain = Domain(["a"], one_hot=[["x", "y", "z"]], exclusive=[["u", "v"]])
    half, zero, one = Fraction(1, 2), Fraction(0), Fraction(1)
    assert not domain.contains({"a": half})
    assert not domain.contains({"x": one, "y": one})
    assert not domain.contains({"x": zero, "y": zero, "z": zero})
    assert domain.contains({"x": zero, "y": zero})
    assert domain.contains({"u": zero, "v": zero})
    assert not domain.contains({"free": Fraction(3, 2)})


def test_part_of_a_one_hot_group_may_be_all_zero():
    domain = Domain(one_hot=[["x", "y", "z"]])
    assert list(domain.boolean_rows(["x", "y"])) == [{"x": 0, "y": 0}, {"x": 1, "y": 0}, {"x": 0, "y": 1}]


def test_a_domain_prints_what_it_says():
    assert str(Domain(["sex"], [["cp=1", "cp=2"]], [["u", "v"]])) == (
        "sex in {0, 1}; exactly one of {cp=1}, {cp=2}; at most one of u, v"
    )


def test_a_contradictory_domain_is_refused():
    with pytest.raises(DomainError, match="'x' stands in two groups"):
        Domain(one_hot=[["x", "y"], ["x", "z"]])
    with pytest.raises(DomainError) as caught:
        Domain(exclusive=[[]])
    assert str(caught.value) == "a group needs at least one name."
    for wrong in ({"boolean": "abc"}, {"one_hot": ["ab"]}, {"exclusive": "ab"}):
        with pytest.raises(DomainError, match="expected a list of names"):
            Domain(**wrong)
    with pytest.raises(DomainError, match="names inputs by text, got 1"):
        Domain([1])
    with pytest.raises(DocumentError) as caught:
        Domain.from_content({"boolean": []})
    assert str(caught.value) == "not a domain: KeyError 'one_hot'."


def test_what_a_domain_says_of_some_inputs():
    domain = Domain(["a", "b"], one_hot=[["x", "y"], ["u", "v", "w"]], exclusive=[["p", "q", "r"]])
    assert domain.restrict(["b", "x", "y", "u", "p", "q", "free"]) == Domain(["b", "u"], [["x", "y"]], [["p", "q"]])
    assert domain.restrict([]) == Domain()


def test_the_group_of_an_input():
    domain = Domain(["a"], one_hot=[["x", "y"]], exclusive=[["p", "q"]])
    assert [domain.group_of(name) for name in "axqz"] == [("a",), ("x", "y"), ("p", "q"), ("z",)]
    assert [domain.is_boolean(name) for name in "axqz"] == [True, True, True, False]


def test_a_group_of_one_is_boolean():
    assert Domain(exclusive=[["a"]]).includes(Domain(["a"]))
    assert not Domain(exclusive=[["a"]]).includes(Domain())
    assert not Domain(one_hot=[["a"]]).includes(Domain(["a"]))
    assert Domain(["a"]).includes(Domain(one_hot=[["a"]]))


def test_one_hot_groups_of_other_sizes_do_not_include_each_other():
    small, large = Domain(one_hot=[["a", "b"]]), Domain(one_hot=[["a", "b", "c"]])
    assert not small.includes(large)
    assert not large.includes(small)
    assert Domain(exclusive=[["a", "b"]]).includes(large)


def test_the_number_of_boolean_rows():
    domain = Domain(["a"], one_hot=[["x", "y", "z"]], exclusive=[["p", "q"]])
    assert len(list(domain.boolean_rows(["a", "x", "y", "z", "p", "q", "free"]))) == 2 * 3 * 3
    assert list(domain.boolean_rows(["free"])) == [{}]
    assert list(domain.boolean_rows(["free"])) == [{}]


def test_finitely_many_truth_values():
    assert [str(Domain(n=n)) for n in (1, 3, 9)] == [
        "all inputs in {0, 1}",
        "all inputs in {0, 1/3, 2/3, 1}",
        "all inputs in {0, 1/9, …, 1}",
    ]
    assert str(Domain(["a"], n=2)) == "a in {0, 1}; all inputs in {0, 1/2, 1}"
    assert Domain(n=4).includes(Domain(n=2))
    assert not Domain(n=3).includes(Domain(n=2))
    assert not Domain(n=2).includes(Domain())
    assert Domain().includes(Domain(n=2))
    assert Domain(["a"]).includes(Domain(n=1))


def test_a_domain_without_n_is_written_as_before_there_was_one():
    """Certificates and models of earlier versions keep their fingerprints."""
    assert "n" not in Domain(["a"]).content()
    with pytest.raises(DomainError):
        Domain.from_content({"boolean": [], "one_hot": [], "exclusive": [], "n": "2"})


def test_a_domain_of_many_names_is_looked_up_not_searched():
    """Every name was searched in a list of all: `verify` of 40,000 cuts took half a minute."""
    compared = []

    class Name(str):
        __slots__ = ()

        def __eq__(self, other):
            compared.append(other)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    def made(n):
        pairs = [[Name(f"p{i}"), Name(f"q{i}")] for i in range(n)]
        return Domain([Name(f"x{i}") for i in range(n)], one_hot=pairs[::2], exclusive=pairs[1::2])

    counts = []
    for n in (200, 800):
        one, other = made(n), made(n)
        compared.clear()
        assert one.includes(other)
        assert one.restrict([f"p{i}" for i in range(n)]).includes(other)
        assert all(one.contains({f"p{i}": Fraction(1), f"q{i}": Fraction(0)}) for i in range(n))
        assert not any(one.contains({f"p{i}": Fraction(1), f"q{i}": Fraction(1)}) for i in range(n))
        counts.append(len(compared))
    assert counts[1] < 6 * counts[0]
