from audited import small_model
from crystalogic.export.markdown import to_markdown
from crystalogic.export.quoting import markdown_text


def test_a_model_of_degrees_as_a_whole_string():
    assert to_markdown(small_model(["{n ≥ 3}"], None)) == (
        "# y\n\nThe degree of y:\n\n- [ ] n is at least 3\n\nIt lies between 0 and 1.\n"
    )


def test_a_model_of_three_classes_as_a_whole_string():
    model = small_model(["{n ≥ 3}", "{k=b} ⊗ {o ≥ high}", "{c=1}"], ("a", "b*", "_c"))
    assert to_markdown(model) == (
        "# y\n\n"
        "The degree of y = **a**:\n\n- [ ] n is at least 3\n\n"
        "The degree of y = **b&#42;**:\n\n- [ ] both of these:\n  - [ ] k is b\n  - [ ] o is at least high\n\n"
        "The degree of y = **&#95;c**:\n\n- [ ] c is 1\n\n"
        "Decide for the class with the largest degree; of equal ones the first of a, b&#42;, &#95;c.\n"
    )


def test_names_cannot_become_markup():
    assert markdown_text("a*b <i> snake_case _x_ 50 %") == "a&#42;b &#60;i&#62; snake_case &#95;x&#95; 50 %"
