from crystalogic.verify.values import Vectors


def test_equal_vectors_have_one_index_and_zero_weights_do_not_count():
    vectors = Vectors()
    first = vectors.index({3: 2, 1: -1, 7: 0})
    assert vectors.index({1: -1, 3: 2}) == first
    assert vectors.terms[first] == ((1, -1), (3, 2))
    assert vectors.index({1: -1}) != first


def test_a_vector_knows_the_range_of_its_sum():
    vectors = Vectors()
    index = vectors.index({1: -1, 2: -2, 3: 4, 4: 1})
    assert (vectors.least[index], vectors.most[index]) == (-3, 5)
    empty = vectors.index({})
    assert (vectors.least[empty], vectors.most[empty]) == (0, 0)


def test_adding_a_term_joins_it_with_what_is_there():
    vectors = Vectors()
    start = vectors.index({1: -1})
    assert vectors.terms[vectors.plus(start, 1, 3)] == ((1, 2),)
    assert vectors.terms[vectors.plus(start, 2, 3)] == ((1, -1), (2, 3))
    assert vectors.plus(start, 1, 1) == vectors.plus(start, 1, 1) == vectors.index({})


def test_the_negative_of_the_negative_is_the_vector():
    vectors = Vectors()
    start = vectors.index({1: -1, 2: 3})
    assert vectors.terms[vectors.negative(start)] == ((1, 1), (2, -3))
    assert vectors.negative(vectors.negative(start)) == start
