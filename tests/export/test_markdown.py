from audited import small_model
from crystalogic.encoding import Encoding, Is
from crystalogic.encoding.encoding import Column
from crystalogic.export.prose import to_markdown
from crystalogic.export.quoting import markdown_text
from crystalogic.fitting import model_of
from crystalogic.logic.formula import Variable


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


def test_a_name_that_begins_like_a_bullet_keeps_its_beginning():
    encoding = Encoding((Column("- x", "category", (Is("- x", "- y"),), ("- y", "z")),))
    text = to_markdown(model_of([Variable("- x=- y")], encoding, "- t", ("- no", "- yes")))
    assert text == "# - t\n\nDecide - t = **- yes** if:\n\n- [ ] - x is - y\n\nOtherwise decide - t = **- no**.\n"


def test_a_long_value_is_cut_before_it_is_written_and_addresses_are_no_links():
    """A value was cut in the middle of an entity, which showed a piece of it."""
    encoding = Encoding((Column("x", "category", (Is("x", "<" * 80),), ("<" * 80, "z")),))
    text = to_markdown(model_of([Variable(f"x={'<' * 80}")], encoding, "http://a.b www.c.d", ("no", "yes")))
    assert f"- [ ] x is {'&#60;' * 59}…\n" in text
    assert text.startswith("# http&#58;//a.b www&#46;c.d\n")
