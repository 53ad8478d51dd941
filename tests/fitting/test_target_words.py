"""A target may have a class that is called none; where that means missing, the words for missing are named."""

import pandas as pd
import pytest

import crystalogic as cl
from crystalogic.errors import TableError
from crystalogic.fitting import Request, fit

EYES = pd.DataFrame({"tears": ["few", "many"] * 20, "glasses": ["none", "old", "new", "old"] * 10})
LENSES = pd.Series(["none", "soft"] * 20)


def test_none_is_a_class_of_the_target_and_missing_elsewhere(tmp_path):
    """Once, a table of lenses was refused, and advised to leave its commonest class out."""
    model = fit(EYES.assign(lenses=LENSES), "lenses", Request()).model
    assert model.classes == ("none", "soft")
    assert model.encoding.by_name["glasses"].has_missing
    model.save(tmp_path / "model.json")
    judged = cl.evaluate(cl.load(tmp_path / "model.json"), EYES.assign(lenses=LENSES))
    assert (judged.n_unlabelled, judged.n_rows) == (0, 40)
    assert cl.LukasiewiczClassifier().fit(EYES, LENSES).classes_.tolist() == ["none", "soft"]


def test_none_is_missing_where_it_is_named():
    with pytest.raises(TableError, match=r"^row 0: the target 'lenses' is missing, and in 19 more rows"):
        fit(EYES.assign(lenses=LENSES), "lenses", Request(missing=("none",)))
    with pytest.raises(ValueError, match="Input y contains missing values"):
        cl.LukasiewiczClassifier(missing=["none"]).fit(EYES, LENSES)
