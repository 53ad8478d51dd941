"""The usual page."""

import pytest


@pytest.fixture(scope="session")
def heart_page():
    """The usual rule for the Heart Disease table: the model, what the table says of it, and the page."""
    from crystalogic import datasets
    from crystalogic.encoding import fit_encoding
    from crystalogic.fitting import model_of
    from crystalogic.logic.parse import parse
    from crystalogic.report import Table, report_page
    from crystalogic.report.evidence import Evidence

    heart = datasets.load("heart")
    frame = heart.frame()
    formula = parse("at least 2 of ({cp=4}, ¬{ca=0}, ¬{thal=3})")
    model = model_of([formula], fit_encoding(frame), "disease", ("0", "1"))
    table = Table(frame, heart.labels, "heart.csv")
    text = report_page(model, table, seconds=0, units={"cp": "type"}, made="2026-01-01")
    return model, Evidence(model, table), text
