"""What mail programs write around what they quote and forward, in the languages that customers use.

Each pattern is matched with one line. Lines of the lists are regular expressions without regard to case.
"""

import re
from typing import Final


def _any(phrases: str) -> str:
    """Return a pattern of any of the phrases, one of which is on each line."""
    return "(?:" + "|".join(phrase.strip() for phrase in phrases.strip().splitlines()) + ")"


_VERB: Final = r"""
    wrote|writes|excerpts from
    schrieb|schreibt
    écrit|écrivait
    escribió|escribio|escreveu
    scritto|scrisse
    schreef|geschreven
    napisała?|napsala?|napísala?
    skrev|kirjoitti|írta|yazdı|scris
    написала?|пишет|писала?|написав
    """
_VERB_WITHOUT_SPACES: Final = """
    写道|寫道
    書きました|のメール
    작성|님이
    đã viết|เขียน|έγραψε|כתב|كتب
    """
VERB: Final = re.compile(rf"\b{_any(_VERB)}\b|{_any(_VERB_WITHOUT_SPACES)}", re.IGNORECASE)
"""The verb of "On … wrote:"."""

_WORD: Final = r"(?:On|Am|Le|El|Em|Il|Op|Den|Dne|Dňa|Dnia|W dniu|În|Excerpts|Pe|Dana|At|Vào)\b"
_WEEKDAY: Final = r"""
    Mon|Tue|Wed|Thu|Fri|Sat|Sun
    Mo|Di|Mi|Do|Fr|Sa|So
    lun|mar|mer|jeu|ven|sam|dim
    mié|jue|vie|sáb|dom|gio|sab
    seg|ter|qua|qui|sex
    ma|di|wo|do|vr|za|zo
    pon|wt|śr|czw|pt|sob|niedz
    пн|вт|ср|чт|пт|сб|вс
    понедельник|вторник|среда|четверг|пятница|суббота|воскресенье
    """
BEGINS: Final = re.compile(rf"[-*_>\s]*{_WORD}[^:]{{0,20}}\d|在|於")
"""The beginning of "On 1 May … wrote:"."""
INTRODUCES: Final = re.compile(rf"[-*_>\s]*(?:{_WORD}|\d|在|於|于|{_any(_WEEKDAY)}\b)")
"""A word, a weekday or a number with which a line begins that says who wrote."""

_ORIGINAL: Final = r"""
    original (?:message|appointment|e-?mail)
    reply message
    ursprüngliche nachricht|original-?nachricht
    message d['’]origine|message (?:original|initial)
    mensaje original|mensagem original
    messaggio originale
    oorspronkelijk bericht|originele bericht
    wiadomość oryginalna|oryginalna wiadomość
    oprindelig (?:meddelelse|besked)|ursprungligt meddelande|opprinnelig melding|alkuperäinen viesti
    исходное сообщение
    původní zpráva|pôvodná správa|mesaj original|orijinal mesaj
    原始邮件|原始郵件|原邮件
    元のメッセージ|원본 메시지
    """
FRAMED: Final = re.compile(rf"[\s>*_]*-{{2,}}[\s*]*{_any(_ORIGINAL)}[\s*]*-{{2,}}", re.IGNORECASE)
"""The line above a quoted mail: `-----Original Message-----`."""

_FORWARDED: Final = r"""
    forwarded
    weitergeleitete
    message (?:transf|réexp)
    mensaje reenviado|mensagem (?:encaminhada|reencaminhada)
    messaggio inoltrato
    doorgestuurd
    przekazana|wiadomość przekazana
    videresendt|vidarebefordra|välitetty|пересыл|přeposlaná
    转发的?邮件|已转发|轉寄
    転送|전달된
    """
_BEGIN_FORWARDED: Final = r"""
    begin forwarded message
    anfang der weitergeleiteten (?:nachricht|e-mail)
    début du message (?:transféré|réexpédié)
    inicio del mensaje reenviado|início da mensagem reencaminhada
    inizio messaggio inoltrato
    begin doorgestuurd bericht
    początek przekazywanej wiadomości
    vidarebefordrat brev|videresendt besked
    以下是转发的邮件|开始转发的邮件
    転送されたメッセージ
    """
FORWARDED: Final = re.compile(
    rf"[\s*_]*(?:-{{2,}}[\s*]*{_any(_FORWARDED)}|{_any(_BEGIN_FORWARDED)}\s*[:：])", re.IGNORECASE
)
"""The line above a forwarded mail."""
FORWARD_SUBJECT: Final = re.compile(
    r"\s*(?:\[[^\]]{0,60}\]\s*)?(?:fwd?|wg|tr|rv|enc|i|pd|vs|vb|doorst|转发|轉寄|転送)\s*[:：]", re.IGNORECASE
)

_SENT: Final = r"""
    sent|gesendet
    envoyé(?: le)?
    enviado(?: el| em)?|enviada(?: em)?
    inviato|verzonden
    wysłano|wysłane
    sendt|skickat|lähetetty|odesláno|gönderme
    отправлено
    发送时间|发送日期
    送信日時|보낸 날짜
    """
_FIELDS: Final = {
    "from": r"""
        from|von|de|da|van|od
        fra|från|lähettäjä|от|kimden|feladó
        expéditeur|remetente|mittente|afzender
        发件人|寄件者|寄件人
        差出人|送信者|보낸 사람
        """,
    "date": rf"""
        {_any(_SENT)}
        date|message du|datum|fecha|data|dato|дата
        日期|時間|日付|날짜
        """,
    "to": r"""
        to|an|à|a|para|aan|do
        til|till|vastaanottaja|komu|кому|kime|címzett
        destinataire|destinatario|pour
        收件人
        宛先|받는 사람
        """,
    "subject": r"""
        subject|betreff|objet|sujet|asunto|assunto|oggetto|onderwerp|temat
        emne|ämne|aihe|předmět|тема|konu|tárgy
        主题|主旨
        件名|제목
        """,
    "other": r"""
        cc|kopie|copie(?: à)?|cópia|copia|dw|抄送
        reply-to|antwort an|risposta
        importance|wichtigkeit|priority|organization|attachments|anlagen
        """,
}
FIELD: Final = re.compile(
    r"[\s>*_|]*(?:"
    + "|".join(f"(?P<{kind}>{_any(names)})" for kind, names in _FIELDS.items())
    + r")[\s*_]*[:：]",
    re.IGNORECASE,
)
"""A field of the heading that Outlook and others put above what they quote. The last group is what it says."""
SENT: Final = re.compile(rf"[\s>*_|]*{_any(_SENT)}[\s*_]*[:：]", re.IGNORECASE)
"""A field that mail programs write, and people who fill in "From" and "To" don't."""
SOURCE: Final = re.compile(
    r"[\s>*]*(?:MIME-Version|Message-ID|Received|Return-Path|Content-(?:Type|Transfer-Encoding)|DKIM-Signature"
    r"|X-[\w-]{1,60})\s*:",
    re.IGNORECASE,
)
"""A header of a mail that no program writes above what it quotes."""

_DEVICE: Final = r"""
    sent (?:from|with|via|using|on the go)|original message processed by
    get outlook for|yahoo mail: search
    (?:von|mit) (?:mein|unterwegs|iphone).{0,40}gesendet|gesendet (?:von|mit|über)
    diese nachricht wurde von mein|holen sie sich outlook|outlook für .{0,20} beziehen
    envoyé (?:de|depuis|avec|à partir|par)|télécharge[rz] outlook|obtene[zr] outlook|obtenir outlook
    enviado (?:desde|do|de|a partir|con|com|via)|obter o outlook
    inviato (?:da|con)|(?:scarica|ottieni) outlook
    verzonden (?:vanaf|met|via|vanuit)|verstuurd vanaf|outlook voor .{0,20} downloaden
    wysłan[eoy] z|pobierz (?:aplikację )?outlook
    skickat från|skickades från|sendt fra|lähetetty |odesláno z|отправлено (?:с|из)
    发自我的|從我的|发送自|获取 ?outlook
    発信元|(?:iphone|android)から送信|outlook for .{0,20}を入手
    나의 .{0,20}에서 보냄
    """
DEVICE: Final = re.compile(rf"[\s*_>(\[<]*(?:-{{2,3}}\s?)?{_any(_DEVICE)}", re.IGNORECASE)
"""The line that a phone or a program adds about itself."""

_SEE_BELOW: Final = r"""
    (?:see|find|look|read) (?:\w+ ){0,4}(?:below|in-?line)
    (?:answer(?:s|ed)?|comment(?:s|ed)?|repl(?:y|ies|ied)|responses?) (?:\w+ ){0,2}(?:below|in-?line|in (?:red|blue))
    siehe (?:\w+ ){0,2}unten|antworten? (?:\w+ ){0,2}(?:unten|im text|in rot|in blau)
    (?:voir|réponses?) (?:\w+ ){0,2}(?:ci-dessous|plus bas|en rouge)
    (?:ver|respuestas?|veja|respostas?) (?:\w+ ){0,2}(?:abajo|abaixo|en rojo|em vermelho)
    (?:vedi|rispost[ae]) (?:\w+ ){0,2}(?:sotto|in rosso)
    zie (?:\w+ ){0,2}(?:onder|hieronder)|antwoord(?:en)? (?:\w+ ){0,2}hieronder
    (?:patrz|odpowiedzi) (?:\w+ ){0,2}(?:niżej|poniżej)
    """
SEE_BELOW: Final = re.compile(_any(_SEE_BELOW), re.IGNORECASE)
"""What people write who answer inside what their mail program quotes."""
