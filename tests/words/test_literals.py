from crystalogic.encoding import Cut, Degree, Is, Missing, OneOf, Reaches
from crystalogic.encoding.fit import fit_encoding
from crystalogic.fitting.reading import model_of
from crystalogic.logic.parse import parse
from crystalogic.words.checklists import checklist, outline
from crystalogic.words.literals import literal_words
from crystalogic.words.models import rule_text

GAPS = {"ca", "age", "size"}


def test_a_negation_says_that_a_missing_value_counts_where_values_were_missing():
    assert literal_words(Is("ca", "0"), negated=True, gaps=GAPS) == "ca is not 0 (or missing)"
    assert literal_words(Cut("age", 55.0), negated=True, gaps=GAPS) == "age is below 55 (or missing)"
    assert literal_words(Degree("age", 20.0, 80.0), negated=True, gaps=GAPS) == "age is low (from 20 to 80, or missing)"
    sizes = ("small", "large")
    assert literal_words(OneOf("size", sizes)) == "size is one of small, large"
    assert literal_words(OneOf("size", sizes), negated=True, gaps=GAPS) == "size is none of small, large (or missing)"
    assert literal_words(Reaches("size", "large", sizes), negated=True, gaps=GAPS) == "size is below large (or missing)"


def test_nothing_is_added_to_plain_facts_to_gaps_themselves_and_to_columns_without_gaps():
    assert literal_words(Is("ca", "0"), gaps=GAPS) == "ca is 0"
    assert literal_words(Missing("ca"), negated=True, gaps=GAPS) == "ca is not missing"
    assert literal_words(Is("cp", "4"), negated=True, gaps=GAPS) == "cp is not 4"


def test_the_checklist_and_the_page_say_the_same_and_it_is_what_the_rule_does():
    rows = {"ca": ["0", None, "1", "2"], "cp": ["3", "4", "4", "3"]}
    encoding = fit_encoding(rows)
    formula = parse("¬{ca=0} ⊗ {cp=4}")
    model = model_of([formula], encoding, "disease", ("no", "yes"))
    assert rule_text(model) == (
        "disease is yes if both of these:\n  - ca is not 0 (or missing)\n  - cp is 4\notherwise disease is no"
    )
    assert model.predict(rows).tolist() == ["no", "yes", "yes", "no"]
    (block,) = outline(formula, encoding.literals, encoding.gaps)
    assert [part.words for part in block.item.parts] == ["ca is not 0 (or missing)", "cp is 4"]


def test_a_fact_that_counts_twice_says_so_after_the_gap():
    literals = {"ca=0": Is("ca", "0")}
    assert checklist(parse("¬{ca=0} ⊗ ¬{ca=0}"), literals, GAPS).endswith("  - ca is not 0 (or missing), counted twice")
