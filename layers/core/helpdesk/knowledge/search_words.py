"""A word of a search for whole documents, and how the index finds it."""

from collections.abc import Mapping, Sequence

import tantivy

from helpdesk.platform.record import Record

# A word that only begins as was typed. In a name it counts more than a whole word in a text, because names are offered
# while someone types.
_SCORE_OF_BEGINNING = 0.2
_SCORES_OF_BEGINNING = {"names": 4.0}


class SearchWord(Record):
    """A word that a document must hold: one of its forms, else a form of each of its parts.

    With a `beginning` it may also be any word that begins so.
    """

    forms: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...] = ()
    beginning: str | None = None

    @property
    def run(self) -> str:
        """The word in a script without spaces, whose parts are pairs of its characters; empty for any other."""
        return "" if self.forms else "".join([self.parts[0][0], *(forms[0][-1] for forms in self.parts[1:])])

    def query(self, schema: tantivy.Schema, weights: Mapping[str, float]) -> tantivy.Query:
        """Return the query for entries that hold the word in one of the fields; the best field counts."""
        ways = [_any_of(schema, self.forms, weights)] if self.forms else []
        if self.parts:
            parts = [(tantivy.Occur.Must, _any_of(schema, forms, weights)) for forms in self.parts]
            ways.append(tantivy.Query.boolean_query(parts))
        if self.beginning is not None:
            for name in weights:
                # No letter may differ: this finds the words with a prefix.
                begun = tantivy.Query.fuzzy_term_query(schema, name, self.beginning, distance=0, prefix=True)
                score = _SCORES_OF_BEGINNING.get(name, _SCORE_OF_BEGINNING)
                ways.append(tantivy.Query.const_score_query(begun, score))
        return tantivy.Query.disjunction_max_query(ways)


def _any_of(schema: tantivy.Schema, forms: Sequence[str], weights: Mapping[str, float]) -> tantivy.Query:
    return tantivy.Query.disjunction_max_query(
        [
            tantivy.Query.boost_query(tantivy.Query.term_query(schema, name, form, "basic"), weight)
            for name, weight in weights.items()
            for form in forms
        ]
    )
