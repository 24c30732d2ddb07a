"""Quotations of the study `tac` are the paper's words, cut only where a `…` says so.

`data/tac_quotations.txt` holds a hash of every four successive words of the paper, abstract to
conclusion, made once from its text; which words they are cannot be read from it.
"""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from acklab.studies.tac.findings import every
from acklab.studies.tac.repeated import REPEATED

PAPER = set((Path(__file__).parent / "data" / "tac_quotations.txt").read_text().split())
WORDS = 4
CLAIMS = {f.id: f.sentence for f in every()}
QUOTED = CLAIMS | {f"again {i}": sentence for i, (sentence, _, _) in enumerate(REPEATED)}


def strange(sentence):
    """What the paper does not have of it, four words at a time."""
    found = []
    for part in sentence.split("…"):
        words = [w for w in (word.strip(".,;:()[]") for word in part.split()) if w]
        assert len(words) >= WORDS, f"too short to be held: {part}"
        for i in range(len(words) - WORDS + 1):
            run = " ".join(words[i : i + WORDS])
            if sha256(run.encode()).hexdigest()[:8] not in PAPER:
                found.append(run)
    return found


@pytest.mark.parametrize("name", QUOTED)
def test_a_quotation_is_the_papers(name):
    assert strange(QUOTED[name]) == []


def test_changed_words_and_cuts_are_seen():
    whole = CLAIMS["F5-tight-why"]
    assert strange(whole.replace("moderate", "low")) != []
    assert strange(whole.replace(" queue", "")) != []
    assert strange(re.sub(r" …", "", CLAIMS["F6-similar"])) != []


def test_sentences_that_say_it_again_name_their_claims():
    for sentence, where, claims in REPEATED:
        assert where
        assert claims
        assert set(claims) <= set(CLAIMS), sentence
        assert sentence not in CLAIMS.values()
    assert len({sentence for sentence, _, _ in REPEATED}) == len(REPEATED)
