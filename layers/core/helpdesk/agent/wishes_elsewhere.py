"""Asking for a person in German, French, Spanish, Italian, Portuguese and Dutch, in plain letters (`plain.py`).

For each language the same kinds of sentence: speaking with someone, being put through, wanting one, not wanting a
machine, and the bare noun.
"""

import re

_BOT = r"(?:chat)?bots?|robots?|robo|roboter|maschine|machine|maquina|macchina|automate"
# Nothing between the end of a sentence and the word, taken once: to begin anew at each of 4,000 full stops and go
# through all that follow takes seconds.
_ALONE = r"(?:^|[.!?\n])[^\w.!?\n]*+"
_END = r"(?=\s*(?:$|[.!?,;:)\n]))"

_DE = (
    r"(?:menschen?|person|mitarbeiter(?:in)?|kolleg(?:en|in)|berater(?:in)?|agenten|ansprechpartner(?:in)?|jemand(?:em|en)?"
    r"|support|kundenservice|kundendienst|team|vorgesetzten|chef)"
)
_DE_KIND = (
    r"(?:(?:einem|einer|einen|eine|ein|dem|der|den|das|eurem|euren|eure|ihrem|ihren|ihre)\s+)?"
    r"(?:(?:echten?|echter|richtigen?|richtiger|menschlichen?|lebenden|anderen|anderem)\s+)*"
)
_GERMAN = (
    rf"\bmit\s+{_DE_KIND}{_DE}\b[^.?!\n]{{0,40}}\b(?:sprechen|reden|chatten|schreiben|telefonieren|verbinden|verbunden)\b",
    rf"\b(?:sprechen|reden|chatten|verbinden?|verbindet)\b[^.?!\n]{{0,20}}\bmit\s+{_DE_KIND}{_DE}\b",
    rf"\b(?:leite\w*|gib|geben|ubergib|ubergeben|weiterleiten)\b[^.?!\n]{{0,25}}\ban\s+{_DE_KIND}{_DE}\b",
    rf"\ban\s+{_DE_KIND}{_DE}\b[^.?!\n]{{0,20}}\b(?:weiterleiten|weitergeben|ubergeben|verbinden)\b",
    (
        rf"\bich\s+(?:will|mochte|moechte|brauche|wunsche|hatte gern\w*)\s+(?:bitte\s+)?{_DE_KIND}"
        rf"(?:menschen|person|mitarbeiter(?:in)?|berater(?:in)?|ansprechpartner(?:in)?)(?:\s+(?:bitte|jetzt|sprechen))?{_END}"
    ),
    (
        r"\b(?:kann|konnte)\s+(?:mir|mich)\s+(?:bitte\s+)?(?:jemand|ein mensch|ein mitarbeiter)\s+(?:\w+\s+)?"
        r"(?:helfen|anrufen|zuruckrufen|kontaktieren)"
    ),
    rf"\b(?:kein(?:en|em|er)?|nicht mit (?:einem|einer|dem|der))\s+(?:{_BOT}|ki)\b",
    rf"{_ALONE}(?:ein(?:en|e)?\s+)?(?:echte[nr]?\s+)?(?:mensch(?:en)?|mitarbeiter(?:in)?|person)(?:\s+bitte)?{_END}",
)

_FR = (
    r"(?:humain|personne|conseill(?:er|ere)|agent|operat(?:eur|rice)|quelqu'un|responsable|collegue|employe"
    r"|service client|support|equipe|etre humain)"
)
_FR_KIND = r"(?:(?:une?|votre|vos|le|la|un de vos|une de vos)\s+|l')?(?:(?:vraie?|autre|veritable)\s+)*"
_FRENCH = (
    rf"\b(?:parler|discuter|echanger|chatter|communiquer)\s+(?:a|avec)\s+{_FR_KIND}{_FR}\b",
    (
        rf"\b(?:passe[zr]?|mett(?:ez|re)|mets|transfere[zr]?|connecte[zr]?|redirige[zr]?)[- ]+"
        rf"(?:moi\s+)?[^.?!\n]{{0,25}}\b(?:a|avec|vers)?\s*{_FR_KIND}{_FR}\b"
    ),
    (
        rf"\bje\s+(?:veux|voudrais|souhaite|souhaiterais|prefere|demande)\s+{_FR_KIND}"
        rf"(?:humain|personne|conseill(?:er|ere)|agent|operat(?:eur|rice)|etre humain)"
        rf"(?:\s+s'il (?:vous|te) plait)?{_END}"
    ),
    (
        r"\b(?:quelqu'un|une personne|un humain)\s+(?:peut|pourrait)(?:[- ]il|[- ]elle)?\s+"
        r"m'?e?\s*(?:aider|rappeler|appeler)"
    ),
    rf"\b(?:pas|plus)\s+(?:a |avec |de |d')?(?:une? )?(?:{_BOT})\b",
    (
        rf"{_ALONE}(?:une?\s+)?(?:vraie?\s+)?(?:humain|personne|conseill(?:er|ere))"
        rf"(?:\s+s'il (?:vous|te) plait)?{_END}"
    ),
)

_ES = (
    r"(?:humano|persona|agente|operador(?:a)?|asesor(?:a)?|representante|alguien|supervisor(?:a)?|encargad[oa]|soporte"
    r"|equipo|atencion al cliente|ser humano|companero)"
)
_ES_KIND = r"(?:(?:una?|el|la|su|tu|vuestro|alguna?|otra?)\s+)?(?:(?:verdader[oa])\s+)*"
_SPANISH = (
    rf"\b(?:hablar|hablo|chatear|comunicarme|contactar|conversar)\s+con\s+{_ES_KIND}{_ES}\b",
    (
        rf"\b(?:paseme|pasame|paseme|pongame|ponme|comuniqueme|comunicame|conectame|conecteme|transfierame|transfiereme)\s+"
        rf"(?:con|a)\s+{_ES_KIND}{_ES}\b"
    ),
    (
        rf"\b(?:quiero|necesito|quisiera|prefiero|me gustaria)\s+(?:a\s+)?{_ES_KIND}"
        rf"(?:humano|persona|agente|operador(?:a)?|asesor(?:a)?|representante)"
        rf"(?:\s+(?:real|humano|humana|de verdad|por favor))*{_END}"
    ),
    (
        r"\b(?:puede|podria)\s+(?:alguien|una persona)\s+(?:ayudarme|llamarme|contactarme)"
        r"|\balguien (?:puede|podria) (?:ayudarme|llamarme)"
    ),
    rf"\bno\s+(?:quiero\s+)?(?:hablar\s+)?(?:con\s+)?(?:una?|el|la)\s+(?:{_BOT})\b",
    rf"{_ALONE}(?:una?\s+)?(?:humano|persona|agente|operador)(?:\s+(?:real|por favor))*{_END}",
)

_IT = (
    r"(?:uman[oa]|persona|operat(?:ore|rice)|addett[oa]|responsabile|qualcuno|assistenza|collega|essere umano|supporto"
    r"|consulente|servizio clienti)"
)
_IT_KIND = r"(?:(?:una?|il|la|lo|vostr[oa]|tuo)\s+|l'|un')?(?:(?:ver[oa])\s+)*"
_ITALIAN = (
    rf"\b(?:parlare|chattare|scrivere|comunicare)\s+con\s+{_IT_KIND}{_IT}\b",
    (
        rf"\b(?:passami|mi passi|passatemi|mettimi|mi metta|mi mettete|trasferiscimi|collegami|mi colleghi)\b"
        rf"[^.?!\n]{{0,25}}\b{_IT_KIND}{_IT}\b"
    ),
    (
        rf"\b(?:voglio|vorrei|preferisco|ho bisogno di)\s+{_IT_KIND}"
        rf"(?:uman[oa]|persona|operat(?:ore|rice)|essere umano)(?:\s+(?:vera|reale|umano|per favore))*{_END}"
    ),
    (
        r"\b(?:puo|potrebbe)\s+(?:aiutarmi|chiamarmi|contattarmi|richiamarmi)\s+qualcuno"
        r"|\bqualcuno (?:puo|potrebbe) (?:aiutarmi|chiamarmi)"
    ),
    rf"\bnon\s+(?:voglio\s+)?(?:parlare\s+)?(?:con\s+)?(?:una?|il|la)\s+(?:{_BOT})\b",
    rf"{_ALONE}(?:una?\s+)?(?:umano|persona|operatore|operatrice)(?:\s+(?:vera|reale|per favore))*{_END}",
)

_PT = (
    r"(?:human[oa]|pessoa|atendente|agente|operador(?:a)?|alguem|suporte|responsavel|supervisor(?:a)?|equipe|ser humano"
    r"|representante|colega)"
)
_PT_KIND = r"(?:(?:uma?|o|a|algum|alguma|outr[oa]|seu|sua)\s+)?(?:(?:verdadeir[oa])\s+)*"
_PORTUGUESE = (
    rf"\b(?:falar|conversar|falo)\s+com\s+{_PT_KIND}{_PT}\b",
    rf"\b(?:me\s+)?(?:passe|passa|transfira|transfere|conecte|encaminhe)(?:-me)?\s+(?:para|a|com)\s+{_PT_KIND}{_PT}\b",
    (
        rf"\b(?:quero|preciso de|gostaria de|prefiro)\s+{_PT_KIND}"
        rf"(?:human[oa]|pessoa|atendente|agente|operador(?:a)?)(?:\s+(?:real|human[oa]|de verdade|por favor))*{_END}"
    ),
    r"\balguem (?:pode|poderia) me (?:ajudar|ligar|atender)",
    rf"\bnao\s+(?:quero\s+)?(?:falar\s+)?(?:com\s+)?(?:uma?|o|a)\s+(?:{_BOT})\b",
    rf"{_ALONE}(?:uma?\s+)?(?:humano|pessoa|atendente)(?:\s+(?:real|por favor))*{_END}",
)

_NL = r"(?:mens|persoon|medewerk(?:er|ster)|iemand|collega|klantenservice|support|team|leidinggevende|helpdesk|agent)"
_NL_KIND = r"(?:(?:een|de|het|jullie|uw|je)\s+)?(?:(?:echte?|menselijke?|andere?|levende?)\s+)*"
_DUTCH = (
    rf"\bmet\s+{_NL_KIND}{_NL}\b[^.?!\n]{{0,30}}\b(?:spreken|praten|chatten|bellen)\b",
    rf"\b(?:spreken|praten|chatten|verbind(?:en)?|doorverbinden)\b[^.?!\n]{{0,20}}\bmet\s+{_NL_KIND}{_NL}\b",
    (
        rf"\bik\s+(?:wil|zou graag|heb liever|heb)\s+(?:graag\s+)?{_NL_KIND}"
        rf"(?:mens|persoon|medewerk(?:er|ster))(?:\s+(?:spreken|nodig|graag|alsjeblieft|alstublieft))*{_END}"
    ),
    r"\bkan\s+(?:iemand|een medewerker)\s+(?:me|mij)\s+(?:helpen|bellen|terugbellen)",
    rf"\b(?:geen|niet met een)\s+(?:{_BOT}|computer)\b",
    rf"{_ALONE}(?:een\s+)?(?:echte?\s+)?(?:mens|persoon|medewerker)(?:\s+(?:graag|alsjeblieft|alstublieft))?{_END}",
)

WISHES = tuple(
    re.compile(pattern)
    for language in (_GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH)
    for pattern in language
)
"""What asks for a person, to be searched for in plain text."""
