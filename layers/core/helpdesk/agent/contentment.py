"""Hearing that all is well: thanks or "solved", and nothing besides.

Rules, not a model, and narrow ones: a message counts only where every word of it is known to be thanks, relief or
politeness, in the languages in which a wish for a person is heard. A question, a condition or anything unknown means
that the visitor says more.
"""

import re

from helpdesk.agent.plain import plain

MAX_CHARACTERS = 200

# What says by itself that all is well. An apostrophe reads as a space here.
_WELL = (
    # English
    r"(?:many )?thanks",
    r"thank (?:you|u)",
    r"thx|ty|cheers",
    r"(?:that|this|it) (?:really )?(?:helped|helps|worked|works|did it|does it|fixed it|solved it|solves it)(?: me)?",
    r"(?:it s|it is|its|all|everything is|everything s|that s|that is) (?:solved|fixed|resolved|sorted|working)",
    r"(?:(?:my )?(?:problem|issue) (?:is )?)?(?:solved|resolved|fixed|sorted)",
    r"all (?:good|set|clear)",
    r"(?:that s|thats|that is) (?:all|it)",
    r"that answers (?:it|my question|everything)",
    # German
    r"danke(?: schon| dir| ihnen| euch| sehr)?|dankeschon",
    r"(?:vielen|besten|herzlichen|tausend) (?:lieben |herzlichen )?dank",
    r"(?:es|das) (?:hat )?(?:funktioniert|geklappt|geholfen|klappt|geht|hilft)",
    r"(?:hat|funktioniert|klappt|geht) (?:geklappt|geholfen|funktioniert|jetzt|nun|wieder)",
    r"(?:(?:das )?problem (?:ist )?|alles |ist |hat sich )?(?:gelost|erledigt|geklart)",
    r"alles (?:klar|gut|bestens)",
    r"das war s|das war alles",
    # French
    r"merci(?: beaucoup| bien| infiniment)?|mille mercis",
    r"(?:c est|tout est|(?:le )?probleme(?: est)?) (?:resolu|regle|bon|parfait|clair)",
    r"(?:ca|cela) (?:marche|fonctionne)",
    r"resolu",
    r"ca m a (?:bien )?aide|c est tout",
    # Spanish
    r"(?:muchas |muchisimas |mil )?gracias",
    r"(?:(?:el )?problema )?(?:ya )?(?:esta |quedo )?(?:resuelto|solucionado|arreglado)",
    r"(?:ya )?funciona",
    r"me (?:ayudo|sirvio|ha ayudado|ha servido)",
    r"todo (?:bien|claro|perfecto|listo|resuelto)",
    r"(?:eso )?es todo",
    # Italian
    r"grazie(?: mille| tante| infinite)?",
    r"(?:(?:il )?problema )?(?:e )?(?:tutto )?(?:risolto|sistemato)",
    r"(?:ora |adesso )?funziona",
    r"tutto (?:ok|bene|chiaro|a posto)",
    r"mi ha aiutato",
    # Portuguese
    r"(?:muito )?obrigad[oa]",
    r"(?:(?:o )?problema )?(?:foi |esta |ja esta )?(?:resolvido|solucionado)",
    r"(?:ja )?(?:funcionou)|deu certo|(?:me )?ajudou(?: muito)?",
    r"tudo (?:certo|bem|claro|ok|resolvido)",
    r"so isso",
    # Dutch
    r"(?:hartelijk |heel erg |heel veel )?(?:bedankt|dank je|dank u|dankjewel|dankuwel)(?: wel)?",
    r"het (?:werkt|is (?:opgelost|gelukt))",
    r"(?:probleem )?opgelost|werkt (?:nu|weer)",
    r"dat (?:hielp|helpt|was het|is alles)|alles (?:duidelijk|goed)",
)

# What may stand beside it without saying more.
_BESIDE = (
    r"ok|okay|oke|great|perfect|awesome|excellent|wonderful|nice|cool|super|amazing|brilliant|lovely|yes|yep|yeah",
    r"hi|hello|hey|so much|very much|a lot|again|now|and|very helpful|that was helpful|got it|understood|i see",
    (
        r"for (?:your|the|all your|all the|that|this)(?: quick| fast| great)?(?: "
        r"(?:help|answer|reply|support|assistance|info|information|response))?|for (?:everything|helping(?: me)?)"
    ),
    r"bye|goodbye|you too|have a (?:nice|good|great|lovely) (?:day|one|evening|weekend)",
    r"toll|prima|perfekt|klasse|wunderbar|spitze|ja|hallo|sehr gut|gut|nochmals?|noch mal|und|jetzt|nun|wieder",
    r"(?:fur )(?:die|deine|ihre|eure)(?: schnelle| tolle| super)? (?:hilfe|antwort|auskunft|info|unterstutzung)",
    (
        r"tschuss|ciao|bis dann|einen? schonen? (?:tag|abend|woche)(?: noch)?|schones wochenende|verstanden"
        r"|(?:liebe|viele) grusse"
    ),
    r"d accord|parfait|genial|tres bien|bien|oui|bonjour|salut|et|a vous|maintenant|encore|au revoir",
    (
        r"pour (?:votre |ton |ta |l |la |cette |tout)?(?:aide|reponse(?: rapide)?|information|info)?"
        r"|bonne (?:journee|soiree|fin de journee)"
    ),
    r"vale|perfecto|excelente|muy (?:bien|amable)|si|hola|y|de nuevo|ahora|adios|hasta luego|buen dia|entendido|listo",
    r"por (?:tu|su|la|vuestra) (?:ayuda|respuesta|atencion|informacion)|por todo",
    (
        r"va bene|perfetto|ottimo|bene|benissimo|e|ancora|ora|adesso|buona (?:giornata|serata)|arrivederci|capito"
        r"|gentilissim[oa]|molto gentile"
    ),
    r"per (?:l |la |il )?(?:tuo |suo |tua |sua )?(?:aiuto|risposta|supporto|assistenza)",
    r"otimo|perfeito|excelente|sim|ola|oi|agora|tchau|ate logo|bom dia|boa (?:tarde|noite)|valeu|entendi",
    r"pela (?:ajuda|resposta|atencao)|pelo (?:apoio|suporte|atendimento)",
    r"top|geweldig|fijn|hoi|en|nu|weer|nogmaals|dag|doei|fijne (?:dag|avond)(?: nog)?|duidelijk",
    r"voor (?:je|uw|jullie|de|het)(?: snelle)? (?:hulp|antwoord|reactie)",
)

_SAYS_SO = re.compile("|".join(_WELL))
_POLITE = re.compile("|".join(_BESIDE))
_NOT_A_WORD = re.compile(r"[^\w]+")
_ASKS = re.compile(r"[?¿؟？]")


def says_all_is_well(text: str, agent_name: str = "") -> bool:
    """Tell whether a message says that all is well and nothing else; the agent may be called by its name."""
    if len(text) > MAX_CHARACTERS or _ASKS.search(text):
        return False
    words = " ".join(_NOT_A_WORD.sub(" ", plain(text).replace("_", " ")).split())
    name = " ".join(_NOT_A_WORD.sub(" ", plain(agent_name)).split())
    if name:
        words = " ".join(re.sub(rf"\b{re.escape(name)}\b", " ", words).split())
    return bool(words) and _only_phrases(words)


def _only_phrases(words: str) -> bool:
    """Tell whether words are nothing but known phrases, one of which says that all is well."""
    # By place: whether what stands before it says so. The phrases overlap, so every way of parting is followed.
    reached: dict[int, bool] = {0: False}
    for place in range(len(words)):
        if place not in reached:
            continue
        for end in range(place + 1, len(words) + 1):
            if end < len(words) and words[end] != " ":
                continue
            says_so = _SAYS_SO.fullmatch(words, place, end) is not None
            if says_so or _POLITE.fullmatch(words, place, end):
                behind = min(end + 1, len(words))
                reached[behind] = reached.get(behind, False) or reached[place] or says_so
    return reached.get(len(words), False)
