"""The rank test that tells samples of chance apart: exact, also with ties, by its definition."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata

from acklab.validate.compare import rank_test, tells_apart


def test_the_rank_test_is_exact():
    theirs = [4.3, 4.5, 4.6, 4.8, 4.9, 5.0, 5.2, 5.3]
    for ours in ([4.4, 4.55, 4.7, 5.1, 5.25], [5.4, 5.5, 5.6, 5.7, 5.8]):
        exact = mannwhitneyu(theirs, ours, method="exact").pvalue
        assert rank_test(theirs, ours) == pytest.approx(exact)
        assert rank_test(ours, theirs) == pytest.approx(exact)


def test_ties_do_not_make_the_rank_test_an_approximation():
    """By the normal distribution it would be 0.012."""
    theirs, ours = [1, 1, 2, 3, 4], [100, 101, 102, 103, 104]
    assert rank_test(theirs, ours) == 2 / math.comb(10, 5)
    # Of all splits of 1, 2, 2 and 3 into one and three, half have a rank sum of 2.5.
    assert rank_test([2], [1, 2, 3]) == 1
    assert rank_test([3], [1, 2, 2]) == 2 / 4
    assert rank_test([7, 7], [7, 7, 7]) == 1


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
    st.lists(st.integers(2, 6), min_size=1, max_size=5),
)
def test_the_rank_test_counts_all_splits(theirs, ours):
    ranks = rankdata(theirs + ours)
    found = sum(ranks[: len(theirs)])
    sums = [sum(c) for c in itertools.combinations(ranks, len(theirs))]
    sides = (sum(s <= found for s in sums), sum(s >= found for s in sums))
    assert rank_test(theirs, ours) == pytest.approx(min(1, 2 * min(sides) / len(sums)))


def test_what_a_rank_test_cannot_tell_apart_is_not_tested():
    assert tells_apart(5, 5)
    assert tells_apart(2, 20)
    assert not tells_apart(1, 20)
    assert not tells_apart(2, 5)
