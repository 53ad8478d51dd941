from checked_estimators import results_of_checks


def test_a_classifier_passes_every_check_of_scikit_learn():
    results = results_of_checks("LukasiewiczClassifier")
    assert len(results) > 50
    assert [each for each in results if each[1] != "passed"] == []
