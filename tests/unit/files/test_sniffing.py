"""Which files count as HTML, XHTML, SVG or XSLT, by their declared type and their content."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.conversations.files.media_types import REFUSED_TYPES, SNIFFED_BYTES
from helpdesk.conversations.files.sniffing import is_refused

HTML = b"<html><body><script>alert(1)</script></body></html>"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
XHTML, SVG, XSLT = (
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/XSL/Transform",
)
UNTYPED = "application/octet-stream"
MB = 1_000_000

REFUSED: dict[str, tuple[str, bytes]] = {
    "a page typed as a picture": ("image/png", HTML),
    "a page typed as an archive": ("application/zip", HTML),
    "a page typed as JSON": ("application/json", HTML),
    "a page without a type": ("", HTML),
    "a page behind white space": ("image/png", b"\n\t  \r\n" + HTML),
    "a page in capitals": ("image/jpeg", HTML.upper()),
    "a page behind a comment": ("image/gif", b"<!-- GIF89a -->" + HTML),
    "a page behind a byte order mark": (UNTYPED, b"\xef\xbb\xbf" + HTML),
    "a page in UTF-16, little end first": (UNTYPED, "\ufeff<html>".encode("utf-16-le")),
    "a page in UTF-16, big end first": (UNTYPED, "\ufeff<html>".encode("utf-16-be")),
    "a page in UTF-16 without a mark": (UNTYPED, HTML.decode().encode("utf-16-le")),
    "a page with a document type": (UNTYPED, b"<!DOCTYPE html><p>hello"),
    "a page of a document type alone": (UNTYPED, b"<!DOCTYPE\n HTML>hello"),
    "the type of a page with a parameter": ("text/html; charset=utf-8", b"hello"),
    "the type of a page in capitals": ("TEXT/HTML", b"hello"),
    "a fragment": ("image/png", b"<script>alert(1)</script>"),
    "an element that loads": ("image/png", b"<img src=x onerror=alert(1)>"),
    "a page with zero bytes strewn in": ("image/png", b"<\x00html>"),
    "a page behind many zero bytes": ("image/png", b"\0" * 2 * SNIFFED_BYTES + HTML),
    "a page behind a comment that HTML ends at once": (UNTYPED, b"<!--><script>alert(1)</script>"),
    "a page behind a comment that HTML ends with a bang": (UNTYPED, b"<!-- --!><script>alert(1)</script>"),
    "a page behind an instruction that HTML ends early": (UNTYPED, b"<?a ><script>alert(1)</script>"),
    "a page behind an end tag": (UNTYPED, b"</x><body onload=alert(1)>"),
    "a page with a namespace that says nothing": (UNTYPED, b'<body xmlns="urn:x" onload="alert(1)"/>'),
    "XHTML": ("text/xml", f'<?xml version="1.0"?><html xmlns="{XHTML}"/>'.encode()),
    "XHTML with a prefix": ("application/xml", f'<x:page xmlns:x="{XHTML}"/>'.encode()),
    "XHTML without a type": (UNTYPED, f'<x:page xmlns:x="{XHTML}"/>'.encode()),
    "SVG typed as a picture": ("image/png", f'<svg xmlns="{SVG}" onload="alert(1)"/>'.encode()),
    "SVG typed as XML": ("application/xml", f'<svg xmlns="{SVG}"/>'.encode()),
    "SVG typed as another kind of XML": ("application/atom+xml", f'<svg xmlns="{SVG}"/>'.encode()),
    "SVG under a name of its own": ("application/xml", f'<drawing xmlns="{SVG}"/>'.encode()),
    "SVG without a type, behind a declaration and a comment": (
        UNTYPED,
        b'<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n<svg/>',
    ),
    "SVG with entities in its document type": (
        "image/png",
        f'<!DOCTYPE svg [ <!ENTITY a "b"> ]><svg xmlns="{SVG}"/>'.encode(),
    ),
    "XSLT": ("text/xml", f'<xsl:stylesheet version="1.0" xmlns:xsl="{XSLT}"/>'.encode()),
    "XSLT under a prefix of its own": ("application/xml", f'<t:transform xmlns:t="{XSLT}"/>'.encode()),
    "a page behind a comment longer than what is read first": (
        "image/png",
        b"<!--" + b"x" * (2 * SNIFFED_BYTES) + b"-->" + HTML,
    ),
    "SVG whose namespace has a letter by number": (
        "application/xml",
        b'<s:svg xmlns:s="http://www.w3.org/2000/sv&#103;" onload="alert(1)"/>',
    ),
    "XHTML whose namespace has letters in hexadecimal numbers": (
        "application/xml",
        b'<x:page xmlns:x="&#x68;ttp://www.w3.org/1999/xhtm&#x6C;"/>',
    ),
    "SVG whose namespace is an entity": (
        "application/xml",
        b'<!DOCTYPE s [ <!ENTITY n "http://www.w3.org/2000/s"> ]><s xmlns="&n;vg"/>',
    ),
    "SVG whose namespace is an entity of entities": (
        "application/xml",
        b'<!DOCTYPE s [ <!ENTITY a "http:"> <!ENTITY b "&a;//www.w3.org/2000/svg"> ]><s xmlns="&b;"/>',
    ),
    "SVG by an entity behind a bracket in a literal": (
        "application/xml",
        b'<!DOCTYPE s SYSTEM "a>b" [ <!ENTITY n "http://www.w3.org/2000/s"> ]><s xmlns="&n;vg"/>',
    ),
    "SVG by an attribute's default, behind a comment that looks like the end": (
        "application/xml",
        b'<!DOCTYPE s [ <!-- ]> --> <!ATTLIST s xmlns CDATA #FIXED "http://www.w3.org/2000/sv&#103;"> ]><s/>',
    ),
    "SVG by an attribute's default that a parameter entity declares": (
        "application/xml",
        f"<!DOCTYPE s [ <!ENTITY % a \"<!ATTLIST s xmlns CDATA '{SVG}'>\"> %a; ]><s/>".encode(),
    ),
    "SVG whose namespace is trimmed by the type of its attribute": (
        "application/xml",
        f'<!DOCTYPE s [ <!ATTLIST s xmlns NMTOKEN #IMPLIED> ]><s xmlns=" {SVG} "/>'.encode(),
    ),
    "SVG under a root with a letter of another alphabet": (
        "application/xml",
        f'<é xmlns="{SVG}"/>'.encode(),
    ),
    "SVG under such a root, in another encoding": (
        "application/xml",
        f'<?xml version="1.0" encoding="windows-1252"?><é xmlns="{SVG}"/>'.encode("cp1252"),
    ),
    "SVG in UTF-16": (
        "application/xml",
        f'\ufeff<?xml version="1.0"?><!-- 㸠 --><é xmlns="{SVG}"/>'.encode("utf-16-be"),
    ),
    "SVG whose start tag has brackets in values": (
        "application/xml",
        f'<s a=\'>\' b="\'>" xmlns="{SVG}">'.encode(),
    ),
}

ACCEPTED: dict[str, tuple[str, bytes]] = {
    "a picture": ("image/png", PNG),
    "a picture that mentions a tag in its metadata": ("image/png", PNG + b"<html><svg>"),
    "text": ("text/plain", b"Dear team, 3 < 5 and 5 > 3."),
    "the source of a page as text": ("text/plain", HTML),
    "the source of a page as text with a charset": ("Text/Plain; charset=utf-16", HTML),
    "Markdown that begins with HTML": (
        "text/markdown",
        b'<p align="center"><img src="logo.png"></p>\n# Title',
    ),
    "a table that begins with a tag": ("text/csv", b"<b>name</b>,<i>n</i>\n1,2\n"),
    "a program as text": ("text/javascript", b"<!-- hide\nalert(1)"),
    "text without a type": ("", b"Write <html> at the top of the page."),
    "text that begins with an angle bracket": (UNTYPED, b"<3 your product"),
    "text that begins with a heart and names a namespace": (UNTYPED, b"<3 http://www.w3.org/2000/svg"),
    "much text that begins with an angle bracket": (UNTYPED, b"<3 " + b"x" * 100_000),
    "text behind a comment": (UNTYPED, b"<!-- lint off -->\n# Title"),
    "a comment alone": (UNTYPED, b"<!-- nothing -->"),
    "a comment without an end": (UNTYPED, b"<!-- <html>"),
    "other XML": ("application/xml", b'<?xml version="1.0"?><order><item/></order>'),
    "other XML without a type": (UNTYPED, b'<?xml version="1.0"?><order><item/></order>'),
    "XML with HTML's names and no namespace": ("application/xml", b"<html><body/></html>"),
    "XML with a name of HTML's and a namespace of its own, without a type": (
        UNTYPED,
        b'<article xmlns="http://docbook.org/ns/docbook"/>',
    ),
    "declared XML with a name of HTML's, without a type": (UNTYPED, b'<?xml version="1.0"?><table/>'),
    "XML with SVG inside": ("application/xml", f'<order><svg xmlns="{SVG}"/></order>'.encode()),
    "XML that declares the prefix of SVG and does not use it": (
        "application/xml",
        f'<order xmlns:svg="{SVG}"/>'.encode(),
    ),
    "XML with a namespace that begins like SVG's": ("application/xml", f'<s xmlns="{SVG}2"/>'.encode()),
    "XML with a namespace of other capitals": ("application/xml", f'<s xmlns="{SVG.upper()}"/>'.encode()),
    "XML with a stylesheet": (
        "application/xml",
        b'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="page.xsl"?><order/>',
    ),
    "XML with a document type": (
        "application/xml",
        b"<!DOCTYPE order [ <!ELEMENT order (item)> ]><order><item/></order>",
    ),
    "XML with a document type elsewhere": (
        "application/xml",
        b'<?xml version="1.0"?><!DOCTYPE order SYSTEM "order.dtd"><order/>',
    ),
    "XML with entities": (
        "application/xml",
        b'<!DOCTYPE book [ <!ENTITY co "Fern"> <!ENTITY % x SYSTEM "x.mod"> %x; ]><book by="&co;"/>',
    ),
    "XML that is not well-formed": ("application/xml", f'<a><b xmlns="{SVG}"'.encode()),
    "an undeclared prefix": ("application/xml", b"<svg:svg/>"),
    "a feed that carries XHTML": (
        "application/atom+xml",
        f'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="{XHTML}"><x:div/></feed>'.encode(),
    ),
    "a track without a type": (UNTYPED, b'<gpx xmlns="http://www.topografix.com/GPX/1/1"/>'),
    "a PDF": ("application/pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
    "an archive": ("application/zip", b"PK\x03\x04\x14\x00\x00\x00"),
    "a packed SVG typed as an archive": ("application/gzip", b"\x1f\x8b\x08\x00"),
    "JSON": ("application/json", b'{"html": "<html>"}'),
    "nothing known": (UNTYPED, bytes(range(256))),
    "nothing": (UNTYPED, b""),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_of_the_five_types_is_refused_by_type_or_content(kind: str) -> None:
    media_type, content = REFUSED[kind]
    assert is_refused(media_type, content, complete=True) is True


@pytest.mark.parametrize("kind", ACCEPTED)
def test_any_other_file_is_accepted(kind: str) -> None:
    media_type, content = ACCEPTED[kind]
    assert is_refused(media_type, content, complete=True) is False


def test_exactly_the_five_types_of_the_specification_are_refused_by_declaration() -> None:
    five = {"text/html", "application/xhtml+xml", "image/svg+xml", "text/xsl", "application/xslt+xml"}

    assert five == REFUSED_TYPES
    assert all(is_refused(media_type, b"", complete=True) for media_type in five)


texts = st.sampled_from(["text/plain", "text/markdown", "text/csv", "text/css", "TEXT/PLAIN; charset=utf-8"])
kinds = st.sampled_from([UNTYPED, "", "image/png", "application/xml", "text/xml", "application/json"])
pieces = st.sampled_from(
    [
        b"<",
        b">",
        b"<!--",
        b"-->",
        b"<?",
        b"?>",
        b"<!DOCTYPE ",
        b"[",
        b"]",
        b"html",
        b"svg",
        b'"',
        b" ",
        b"\0",
        b"\xff\xfe",
    ]
)
markup = st.lists(pieces | st.binary(max_size=4), max_size=30).map(b"".join)


@given(texts, st.sampled_from([content for _, content in REFUSED.values()]) | markup)
def test_declared_text_is_what_it_says_whatever_it_contains(media_type: str, content: bytes) -> None:
    assert is_refused(media_type, content, complete=True) is False


@given(kinds, markup | st.sampled_from([content for _, content in REFUSED.values()]), st.integers(0, 80))
def test_the_beginning_of_a_file_decides_as_the_whole_file_or_not_at_all(
    media_type: str, rest: bytes, length: int
) -> None:
    preamble = b"<!--" + b"-" * 64 + b"-->"

    whole = is_refused(media_type, preamble + rest, complete=True)

    assert whole is not None
    assert is_refused(media_type, preamble + rest[:length], complete=False) in {None, whole}


@given(
    st.sampled_from([XHTML, SVG, XSLT, "urn:other", ""]),
    st.sampled_from(["", "p", "x-1"]),
    st.lists(st.sampled_from(["<!-- a > b -->", "<?pi a?>", "\n", " ", "<!-- ' \" -->"]), max_size=5).map(
        "".join
    ),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le"]),
    st.booleans(),
)
def test_declared_xml_is_refused_exactly_by_the_namespace_of_its_root(
    namespace: str, prefix: str, preamble: str, encoding: str, by_number: bool
) -> None:
    written = "".join(f"&#{ord(letter)};" for letter in namespace) if by_number else namespace
    name = f"{prefix}:r" if prefix and namespace else "r"
    attribute = f"xmlns{':' + prefix if prefix and namespace else ''}"
    document = f'{preamble}<{name} {attribute}="{written}"><svg xmlns="{SVG}"/></{name}>'

    refused = is_refused("application/xml", document.encode(encoding), complete=True)

    assert refused is (namespace in {XHTML, SVG, XSLT})


@pytest.mark.parametrize(
    "content", [b"<!--" + b"x" * SNIFFED_BYTES, b" " * SNIFFED_BYTES, b"<?" + b"x" * SNIFFED_BYTES]
)
def test_a_beginning_without_an_element_asks_for_the_whole_file(content: bytes) -> None:
    assert is_refused(UNTYPED, content, complete=False) is None
    assert is_refused("application/xml", content, complete=False) is None
    assert is_refused(UNTYPED, content, complete=True) is False


BOMB = (
    b"<!DOCTYPE s [ <!ENTITY a '"
    + b"x" * 100
    + b"'>"
    + b"".join(b"<!ENTITY %c '%b'>" % (letter + 1, b"&%c;" % letter * 100) for letter in range(97, 110))
)

HOSTILE = {
    "one comment": b"<!--" + b"x" * 20 * MB + b"-->" + HTML,
    "one comment of dashes": b"<!--" + b"-" * 20 * MB + b"-->" + HTML,
    "a comment without an end": b"<!--" + b"-" * 20 * MB,
    "millions of comments": b"<!---->" * 2_800_000,
    "millions of instructions": b"<??>" * 5_000_000,
    "millions of ends": b"</a>" * 5_000_000,
    "millions of document types": b"<!DOCTYPE a>" * 1_600_000,
    "white space": b" " * 20 * MB + HTML,
    "white space within the document type": b"<!DOCTYPE" + b" " * 20 * MB + b"html>",
    "a document type of brackets": b"<!DOCTYPE a [" + b"[]" * 10 * MB,
    "a document type of quotes": b"<!DOCTYPE a [" + b"''" * 10 * MB,
    "a start tag of attributes": b"<a " + b"b='' " * 4 * MB,
    "a start tag of one attribute": b"<r b='" + b"x" * 20 * MB + b"'/>",
    "zero bytes": b"<" + b"\0" * 20 * MB,
    "entities that expand in the root": BOMB + b"]><s xmlns='&n;'/>",
    "entities that expand in a default": BOMB + b"<!ATTLIST s xmlns CDATA '&n;'>]><s/>",
    "an entity that expands into itself": b"<!DOCTYPE s [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><s xmlns='&a;'/>",
    "an entity in a file": b"<!DOCTYPE s [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><s xmlns='&a;'/>",
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("media_type", [UNTYPED, "application/xml"])
def test_a_hostile_file_is_judged_in_two_seconds(kind: str, media_type: str) -> None:
    started = time.process_time()

    assert is_refused(media_type, HOSTILE[kind], complete=True) is not None

    assert time.process_time() - started < 2
