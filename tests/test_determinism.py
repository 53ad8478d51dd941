"""The same rows and the same seed give the same model file: in any process, on any processor, with any threads."""

import os
import subprocess
import sys

import pytest

from crystalogic import datasets

pytestmark = pytest.mark.usefixtures("compiled")


def fitted(folder, *options, **environment):
    command = [sys.executable, "-m", "crystalogic", "fit", "rows.csv", "-t", "y", "-o", "out.json", "--quiet", *options]
    subprocess.run(command, cwd=folder, env={**os.environ, **environment}, check=True, capture_output=True)
    return (folder / "out.json").read_bytes()


def test_fresh_processes_and_threads_write_the_same_file(tmp_path):
    kinds = [(i * 7 % 23, "rgb"[i % 3], i % 5) for i in range(60)]
    lines = [f"{x},{color},{n},{'yes' if x > 11 or n == 2 else 'no'}" for x, color, n in kinds]
    (tmp_path / "rows.csv").write_text("\n".join(["x,color,n,y", *lines]) + "\n")
    first = fitted(tmp_path, "--max-literals", "2", PYTHONHASHSEED="1", OMP_NUM_THREADS="1")
    again = fitted(tmp_path, "--max-literals", "2", "--jobs", "3", PYTHONHASHSEED="2", NUMBA_NUM_THREADS="1")
    assert again == first


OLDER = {  # of the processors that numpy and its matrix products know, where there are several
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL",
}


@pytest.mark.parametrize(
    ("target", "options"), [("disease", ()), ("disease", ("--shape", "formula")), ("thal", ())], ids=str
)
def test_every_processor_writes_the_same_file(tmp_path, target, options):
    """Facts that tell equally much were told apart by how a processor rounds, and scores kept to its last digit."""
    heart = datasets.load("heart")
    frame = heart.frame().assign(disease=heart.labels).dropna().head(150).rename(columns={target: "y"})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    assert fitted(tmp_path, *options, **OLDER) == fitted(tmp_path, *options)


WRITERS = [
    ("export", "m.json", "sql", "--table", "t"),
    ("report", "m.json", "-o", "-", "--time", "0"),
    ("verify", "m.json"),
]


@pytest.mark.parametrize("words", WRITERS, ids=lambda words: words[0])
def test_what_is_written_does_not_depend_on_the_order_of_sets(tmp_path, words):
    from export_cases import heart

    heart().save(tmp_path / "m.json")
    found = {
        subprocess.run(
            [sys.executable, "-m", "crystalogic", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1
