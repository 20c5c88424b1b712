"""What a question is about: its words without those that every question has.

English only, as the index's stemming is. Words of other languages pass through as they are.
"""

_STOP_WORDS = """
    a about above after again all also always am an and any anybody anyone anything are aren as at be because been
    before being below between both but by can cannot can't could couldn d did didn do does doesn doing don done down
    during each either else ever every everything few for from further get gets getting give gives go goes going gone
    got had hadn has hasn have haven having he her here hers him his how i if in into is isn it its itself just kind
    know let like ll look looking lot m make makes many may maybe me might mine more most much must my myself need
    needs neither no nobody nor not nothing now o of off often ok okay on once one only onto or other others ought our
    ours out over own per please possible quite rather re really s same say see seem shall she should so some somebody
    someone something still such sure t take than that the their theirs them then there these they thing things this
    those though through to too try trying under until up upon us use used using ve very via want wants was wasn way we
    were weren what whatever when whenever where wherever whether which while who whoever whom whose why will wish with
    within without won would wouldn yet you your yours yourself able actually allow allowed already anyway bit both
    exactly happen happens hello hey hi dear thanks thank cheers best regards good morning evening afternoon day today
    question questions wondering wonder tell explain help mean means able
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that tell nothing of what a question is about, in any form that is not their stem's business."""

SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "price cost pricing fee charge",
        "refund reimbursement",
        "delete remove erase",
        "cancel terminate unsubscribe",
        "error failure problem fail",
        "begin start",
        "stop end quit",
        "change edit update modify",
        "name rename",
        "create add new",
        "limit maximum max quota allowance",
        "size length long large big",
        "email mail",
        "picture image photo",
        "file attachment upload",
        "customer visitor client",
        "human person teammate colleague",
        "bot agent ai assistant",
        "chat conversation thread",
        "documentation docs doc document article",
        "reply answer respond response",
        "quick fast",
        "attempt try retry repeat",
        "wait pause delay",
        "alert alarm notify notification",
        "deploy rollout install release",
        "keep kept store retention",
        "order sequence",
        "reset clear wipe",
        "timeout deadline",
        "laptop local locally localhost machine",
    )
)
"""Words that visitors and documents use for the same thing. One found for another counts a part of it."""
