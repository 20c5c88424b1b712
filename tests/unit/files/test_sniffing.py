import pytest

from helpdesk.files.sniffing import SNIFFED_BYTES, runs_in_a_browser

HTML = b"<html><body><script>alert(1)</script></body></html>"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"

DISGUISES = {
    "named and typed as a picture": ("photo.png", "image/png", HTML),
    "behind white space": ("photo.png", "image/png", b"\n\t  \r\n" + HTML),
    "in capitals": ("photo.jpg", "image/jpeg", HTML.upper()),
    "behind a comment": ("photo.gif", "image/gif", b"<!-- GIF89a -->" + HTML),
    "behind a byte order mark": ("notes.txt", "text/plain", b"\xef\xbb\xbf" + HTML),
    "in UTF-16, little end first": ("notes.txt", "text/plain", "\ufeff<html>".encode("utf-16-le")),
    "in UTF-16, big end first": ("notes.txt", "text/plain", "\ufeff<html>".encode("utf-16-be")),
    "in UTF-16 without a mark": ("notes.txt", "text/plain", HTML.decode().encode("utf-16-le")),
    "with a document type": ("data.bin", "application/octet-stream", b"<!DOCTYPE html><p>hello"),
    "with a parameter in its type": ("page", "text/html; charset=utf-8", b"hello"),
    "with its type in capitals": ("page", "TEXT/HTML", b"hello"),
    "by its name's ending alone": ("page.HTML", "image/png", PNG),
    "with dots and spaces behind the ending": ("page.html. ", "image/png", PNG),
    "as a fragment": ("photo.png", "image/png", b"<script>alert(1)</script>"),
    "as an element that loads": ("photo.png", "image/png", b"<img src=x onerror=alert(1)>"),
    "with zero bytes strewn in": ("photo.png", "image/png", b"<\x00html>"),
    "as XHTML": ("f.xml", "text/xml", b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'),
    "as XHTML with a prefix": ("f.xml", "text/xml", b'<x:page xmlns:x="http://www.w3.org/1999/xhtml"/>'),
    "as SVG": ("f.png", "image/png", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    "as SVG behind a declaration and a comment": (
        "f.png",
        "image/png",
        b'<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n<svg/>',
    ),
    "as SVG with entities in its document type": (
        "f.png",
        "image/png",
        b'<!DOCTYPE svg [ <!ENTITY a "b"> ]><svg xmlns="http://www.w3.org/2000/svg"/>',
    ),
    "as XSLT": (
        "f.xml",
        "text/xml",
        b'<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>',
    ),
    "behind a comment longer than what is looked at": (
        "photo.png",
        "image/png",
        b"<!--" + b"x" * (2 * SNIFFED_BYTES) + b"-->" + HTML,
    ),
    "with a character of no width behind the ending": ("page.html\u200b", "image/png", PNG),
    "with a zero character behind the ending": ("page.html\0", "image/png", PNG),
    "with a line's end and a dot behind the ending": ("page.html.\r\n", "image/png", PNG),
    "with a mark of direction within the ending": ("page.ht\u202eml", "image/png", PNG),
    "with wide letters in the ending": ("page．ｓｖｇ", "image/png", PNG),
    "with a wide space between dots behind the ending": ("page.svg.\u00a0.", "image/png", PNG),
    "as SVG whose namespace has a letter by number": (
        "f.xml",
        "text/xml",
        b'<s:svg xmlns:s="http://www.w3.org/2000/sv&#103;" onload="alert(1)"/>',
    ),
    "as SVG whose namespace is written in hexadecimal numbers": (
        "f.xml",
        "text/xml",
        b'<drawing><s:g xmlns:s="&#x68;ttp://www.w3.org/2000/sv&#x67;"/></drawing>',
    ),
    "as XHTML whose namespace has a letter by number": (
        "f.xml",
        "text/xml",
        b'<x:page xmlns:x="http://www.w3.org/1999/xhtm&#108;"/>',
    ),
    "as SVG whose namespace is an entity": (
        "f.xml",
        "text/xml",
        b'<!DOCTYPE s [ <!ENTITY n "http://www.w3.org/2000/s"> ]><s xmlns="&n;vg"/>',
    ),
    "as SVG by an entity behind a bracket in a literal": (
        "f.xml",
        "text/xml",
        b'<!DOCTYPE s SYSTEM "a>b" [ <!ENTITY % n "x"> ]><s xmlns="&n;vg"/>',
    ),
    "as SVG by an attribute's default, behind a comment that looks like the end": (
        "f.xml",
        "text/xml",
        b'<!DOCTYPE s [ <!-- ]> --> <!ATTLIST s xmlns CDATA #FIXED "http://www.w3.org/2000/sv&#103;"> ]><s/>',
    ),
    "as XML that a stylesheet turns into a page": (
        "f.xml",
        "text/xml",
        b'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="page.xsl"?><order/>',
    ),
    "as SVG within other XML, late": (
        "f.xml",
        "text/xml",
        b"<order>" + b"<item/>" * 2_000 + b'<svg:g xmlns:svg="http://www.w3.org/2000/svg"/></order>',
    ),
    "as SVG under a root with a letter of another alphabet": (
        "f.xml",
        "text/xml",
        '<é xmlns="http://www.w3.org/2000/svg"/>'.encode(),
    ),
    "as XML with a stylesheet, in UTF-16": (
        "f.xml",
        "text/xml",
        '\ufeff<?xml version="1.0"?><?xml-stylesheet href="a"?><order/>'.encode("utf-16-be"),
    ),
    "as a packed SVG by its name": ("drawing.svgz", "application/gzip", b"\x1f\x8b\x08\x00"),
}

HARMLESS = {
    "a picture": ("photo.png", "image/png", PNG),
    "a picture that mentions a tag in its metadata": ("p.png", "image/png", PNG + b"<html><svg>"),
    "text": ("notes.txt", "text/plain", b"Dear team, 3 < 5 and 5 > 3."),
    "text that talks of a tag": ("notes.txt", "text/plain", b"Write <html> at the top of the page."),
    "text that begins with an angle bracket": ("notes.txt", "text/plain", b"<3 your product"),
    "text in UTF-16": ("notes.txt", "text/plain", "\ufeffDear team".encode("utf-16-le")),
    "a table of numbers": ("numbers.csv", "text/csv", b"a,b\n1,2\n"),
    "other XML": ("order.xml", "application/xml", b'<?xml version="1.0"?><order><item/></order>'),
    "XML with a document type that declares no entity": (
        "order.xml",
        "application/xml",
        b"<!DOCTYPE order [ <!ELEMENT order (item)> ]><order><item/></order>",
    ),
    "XML with a document type elsewhere": (
        "order.xml",
        "application/xml",
        b'<?xml version="1.0"?><!DOCTYPE order SYSTEM "order.dtd"><order/>',
    ),
    "XML with a namespace of its own and letters by number": (
        "order.xml",
        "application/xml",
        b'<order xmlns="http://example.com/2000/svg">Fish &amp; chips &#103;</order>',
    ),
    "text that names a namespace": ("notes.txt", "text/plain", b"See http://www.w3.org/2000/svg for more."),
    "text that begins with a heart and names a namespace": (
        "notes.txt",
        "text/plain",
        b"<3 http://www.w3.org/2000/svg",
    ),
    "text that explains entities": ("notes.txt", "text/plain", b"Write <!DOCTYPE a [<!ENTITY b 'c'>]>."),
    "a name with a page's ending in the middle": ("page.html.png", "image/png", PNG),
    "a name of another alphabet": ("Фото\u200d.png", "image/png", PNG),
    "a name of nothing but dots": ("...", "image/png", PNG),
    "a PDF": ("terms.pdf", "application/pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
    "an archive": ("all.zip", "application/zip", b"PK\x03\x04\x14\x00\x00\x00"),
    "JSON": ("data.json", "application/json", b'{"html": "<html>"}'),
    "nothing known": ("file", "application/octet-stream", bytes(range(256))),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_files_that_a_browser_runs_are_detected(disguise: str) -> None:
    name, media_type, content = DISGUISES[disguise]
    assert runs_in_a_browser(name, media_type, content)


@pytest.mark.parametrize("kind", HARMLESS)
def test_files_that_no_browser_runs_are_accepted(kind: str) -> None:
    name, media_type, content = HARMLESS[kind]
    assert not runs_in_a_browser(name, media_type, content)


@pytest.mark.parametrize(
    "media_type",
    ["text/html", "application/xhtml+xml", "image/svg+xml", "text/xsl", "application/xslt+xml"],
)
def test_each_refused_type_is_detected_by_its_declaration(media_type: str) -> None:
    assert runs_in_a_browser("file", media_type, b"")
