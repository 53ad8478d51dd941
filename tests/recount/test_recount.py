"""Certificates of optimality are confirmed if they are true, and refused if they are not."""

import json
from math import comb

import numpy as np
import pytest

from crystalogic.document import seal
from crystalogic.errors import CertificateError, DocumentError, TooLargeError
from crystalogic.features import Features
from crystalogic.optimal import Needs, certify, count_rows, solve
from crystalogic.recount import check, rising
from depth import deep
from forged_optima import attack, make


def test_true_certificates_are_confirmed():
    for seed in range(deep(60)):
        body = make(seed)
        confirmed = check(seal("optimum", 1, body))
        assert (confirmed.cost, confirmed.bound, list(confirmed.counts)) == (
            body["cost"],
            body["bound"],
            body["counts"],
        )


def test_no_changed_certificate_is_accepted_unless_it_is_true_all_the_same():
    outcomes = attack(300)
    assert outcomes["false"] == 0
    assert outcomes["refused"] > 200


def test_every_changed_number_of_the_answer_is_refused():
    for seed in range(10):
        body = make(seed)
        for key in ("cost", "bound", "n_sets"):
            for by in (-1, 1):
                with pytest.raises(CertificateError):
                    check(seal("optimum", 1, {**body, key: body[key] + by}))
        for place in range(len(body["counts"])):
            counts = list(body["counts"])
            counts[place] += 1
            with pytest.raises(CertificateError, match="numbers of rules"):
                check(seal("optimum", 1, {**body, "counts": counts}))


def table(n_rows=200, n_facts=40, seed=0):
    generator = np.random.default_rng(seed)
    rows = generator.random((n_rows, n_facts)) < 0.5
    return count_rows(Features.of_rows(rows, None), (rows[:, :3].sum(axis=1) >= 2) ^ (generator.random(n_rows) < 0.3))


def test_a_bound_without_counts_is_confirmed_as_a_bound():
    rows = table(60, 8)
    early = solve(rows, 4, callback=lambda progress: progress.done >= 3)
    confirmed = check(certify(rows, early))
    assert (confirmed.bound, confirmed.counts) == (early.bound, None)
    assert "none of the scope costs less than" in str(confirmed)
    body = json.loads(certify(rows, early))
    for key in ("format", "version", "fingerprint"):
        del body[key]
    with pytest.raises(CertificateError):
        check(seal("optimum", 1, {**body, "bound": solve(rows, 4).cost + 1, "cost": early.cost}))


def test_without_time_only_the_rule_is_confirmed():
    rows = table()
    confirmed = check(certify(rows, solve(rows, 4)), seconds=0.05)
    assert confirmed.bound is None
    assert "want of time" in str(confirmed)


def test_a_document_that_is_too_large_or_no_certificate_is_refused():
    body = make(1)
    for size in (9, 10**9):
        with pytest.raises(TooLargeError, match="size"):
            check(seal("optimum", 1, {**body, "size": size}))
    for wrong in ({"shape": "tree"}, {"columns": ["zz"] * len(body["columns"])}, {"more": 1}, {"flags": [1]}):
        with pytest.raises(DocumentError):
            check(seal("optimum", 1, {**body, **wrong}))


def test_there_are_as_many_threshold_functions_as_is_known():
    n_whole = [len(rising("points", size)) for size in range(6)]
    known = [2, 4, 14, 104, 1882, 94572]  # OEIS A000609
    assert [sum(comb(m, k) * 2**k * n_whole[k] for k in range(m + 1)) for m in range(6)] == known


def test_what_a_rule_must_keep_is_part_of_the_certificate():
    rows = table(60, 6)
    needs = Needs(used=("x2",), signs={"x1": -1})
    text = certify(rows, solve(rows, 3, "points", needs=needs, within=1))
    assert check(text).counts is not None
    body = json.loads(text)
    for key in ("format", "version", "fingerprint"):
        del body[key]
    with pytest.raises(CertificateError):
        check(seal("optimum", 1, {**body, "flags": [3] * 6}))
