import pytest

from crystalogic.errors import TrainingDataError
from research.paper.presets import paper_strategy


def test_the_papers_settings_are_those_of_its_grid_for_each_data_set():
    assert paper_strategy("levenberg_marquardt", "breast-cancer").hidden == (4, "residual", "residual")
    assert paper_strategy("straight_through", "mushroom-enriched").hidden == (8, 4)
    with pytest.raises(TrainingDataError, match="no settings for 'iris'"):
        paper_strategy("proximal", "iris")
    with pytest.raises(TrainingDataError, match="no training strategy 'backpropagation'"):
        paper_strategy("backpropagation")
