"""Random inputs, a short while: nothing but a refusal in a sentence comes out. `make fuzz` goes on for longer."""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from depth import deep
from fuzz.mutations import SAME, UNDECIDED, WRONG, campaign
from fuzz.targets import TARGETS, fuzz_certificate, fuzz_command, fuzz_document, fuzz_model, fuzz_parser, fuzz_table

WORDS = "a b1 ¬ ~ ⊗ ⊕ & | -> → <-> ( ) { } \\ \\u 2 of 1 0 , let = ; in ∧ ∨ {x=1} \\ud800 − ٣ at least".split()
PIECES = st.sampled_from([*WORDS, " ", "\n", "at least ", "\0", "\x1b", "9" * 20])
BYTES = rb"a b 1 2.5 , , ; | ' \ [ null PAR1 BZh =1+1 nan".split()
MARKS = [b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"\xfd7zXZ", b"\xe2\x80\xa8", b'{"a": 1}', b"x" * 50]
CELLS = st.sampled_from([*BYTES, *MARKS, *(bytes([code]) for code in b'\n\n\t" \r\0\x0b\x1a\x1c\xfc\xff')])
CHOICES = st.binary(min_size=24, max_size=160)


@given(st.text() | st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=deep(400))
def test_any_text_is_a_formula_or_is_refused(text):
    fuzz_parser(text.encode("utf-8", "surrogatepass"))


@given(st.binary(max_size=300) | st.text(alphabet='{}[],:"0123456789.eE-+ntfaulse ').map(str.encode))
def test_any_text_is_a_document_or_is_refused(data):
    fuzz_document(data)


@given(CHOICES)
@settings(max_examples=deep(60))
def test_any_model_file_is_refused_or_can_be_used_in_every_way(data):
    fuzz_model(data)


@given(CHOICES)
@settings(max_examples=deep(300))
def test_any_certificate_is_refused_or_holds(data):
    fuzz_certificate(data)


@given(st.binary(max_size=200) | st.lists(CELLS, max_size=40).map(lambda found: b"a,b\n1,2\n" + b"".join(found)))
@settings(max_examples=deep(250))
def test_any_bytes_are_a_table_or_are_refused(data):
    fuzz_table(data)


@pytest.mark.usefixtures("compiled")
@given(CHOICES)
@settings(max_examples=deep(40), suppress_health_check=[HealthCheck.too_slow])
def test_any_words_are_a_command_or_are_refused(data):
    fuzz_command(data)


@pytest.mark.parametrize(("n_mutations", "seed"), [(500, 0), (deep(1500), 10**6)])
def test_a_certificate_never_checks_for_a_wrong_formula(n_mutations, seed):
    """Up to 2,000 of the mutations; `make fuzz` tries 100,000."""
    found = campaign(n_mutations, seed)
    assert found[SAME] > 50
    assert (found[WRONG], found[UNDECIDED]) == (0, 0)


def test_an_adversary_who_is_believed_is_noticed(monkeypatch):
    """The campaign can fail: with a checker that believes everything, wrong formulas are found at once."""
    monkeypatch.setattr("fuzz.mutations.check", lambda *_: None)
    assert campaign(40)[WRONG] > 5


@given(st.lists(st.text(max_size=5), min_size=2, max_size=4).filter(lambda cells: any(cell.strip() for cell in cells)))
@settings(max_examples=deep(50))
def test_what_is_written_as_a_table_is_one(cells):
    """The target for tables can succeed: a table that is whole is read, not refused."""
    text = io.StringIO()
    printable = ["".join(char for char in cell if char.isprintable()) for cell in cells]
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([[f"c{i}" for i in range(len(cells))], [*printable[1:], "x"]])
    assert fuzz_table(text.getvalue().encode("utf-8", "replace")) == "read"


def test_every_target_is_called_by_a_test():
    assert set(TARGETS) == {"parser", "document", "model", "certificate", "table", "command"}
