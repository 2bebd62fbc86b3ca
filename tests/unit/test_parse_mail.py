import base64
from collections.abc import Sequence
from email.message import EmailMessage

from ingest.parse.mail.headers import decoded, iso_date
from ingest.parse.mail.mbox import looks_like_mail
from ingest.parse.mail.parser import MailParser
from kb.records import Document
from kb.settings import ParseSettings


def parse(data: bytes) -> Document:
    return MailParser(ParseSettings()).parse(data, "correo.eml")


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(e.kind, document.text[e.start : e.end]) for e in document.elements]


def message(body: str = "Hola, adjunto la lista.", attached: Sequence[object] = ()) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"] = "Ana Núñez <ana@a.example>", "taller@b.example"
    made["Date"], made["Subject"] = "Tue, 12 Mar 2024 09:41:00 +0100", "Revisión de otoño"
    made.set_content(body, charset="iso-8859-1")
    return made


def test_headers_are_text_and_metadata() -> None:
    found = parse(message().as_bytes())
    assert blocks(found) == [
        ("heading", "Revisión de otoño"),
        (
            "paragraph",
            "From: Ana Núñez <ana@a.example>\nTo: taller@b.example\n"
            "Date: Tue, 12 Mar 2024 09:41:00 +0100",
        ),
        ("paragraph", "Hola, adjunto la lista."),
    ]
    assert found.metadata == {
        "from": "Ana Núñez <ana@a.example>",
        "to": "taller@b.example",
        "subject": "Revisión de otoño",
        "date": "2024-03-12",
    }
    assert (found.title, found.language) == ("Revisión de otoño", "es")


def test_encoded_words() -> None:
    assert decoded("=?iso-8859-1?Q?a=F1o_nuevo?= y =?utf-8?b?w7Fh?=") == "año nuevo y ña"
    raw = "año".encode()  # ñ is parted between the words
    one, two = (base64.b64encode(part).decode() for part in (raw[:2], raw[2:]))
    assert decoded(f"=?utf-8?b?{one}?=\r\n =?utf-8?b?{two}?=") == "año"
    assert decoded("=?klingon?q?a=F1o?=") == "año"  # an unknown charset is guessed
    assert decoded("=?utf-8?q?a=F1o?=") == "año"  # and so is one that lies
    assert decoded("año") == "año"
    assert iso_date("nunca") == ""


def test_plain_text_is_preferred_unless_it_is_blank() -> None:
    both = message("El texto.")
    both.add_alternative("<p>La página.</p>", subtype="html")
    assert "El texto." in parse(both.as_bytes()).text
    assert "La página." not in parse(both.as_bytes()).text
    blank = message("\n")
    blank.add_alternative("<h1>Aviso</h1><p>La página.</p>", subtype="html")
    assert ("paragraph", "La página.") in blocks(parse(blank.as_bytes()))


def test_attachments_are_read_by_their_own_type_below_their_name() -> None:
    made = message()
    made.add_attachment("a;b\n1;2\n".encode("cp1252"), "text", "csv", filename="señal.csv")
    made.add_attachment(b"# Uno\n\ndos\n", "application", "octet-stream", filename="n.md")
    found = parse(made.as_bytes())
    assert blocks(found)[3:] == [
        ("heading", "señal.csv"),
        ("table", "a: 1 | b: 2"),
        ("heading", "n.md"),
        ("heading", "# Uno"),
        ("paragraph", "dos"),
    ]
    assert found.elements[-1].heading == ("Revisión de otoño", "n.md", "Uno")


def test_an_attachment_that_cannot_be_read_is_named() -> None:
    made = message()
    made.add_attachment(bytes(range(256)) * 20, "application", "x-thing", filename="raro.bin")
    found = parse(made.as_bytes())
    assert ("heading", "raro.bin") in blocks(found)
    assert found.warnings == ("attachment raro.bin: binary data, no parser for it",)


def test_messages_inside_messages_end_somewhere() -> None:
    made = message("en el fondo")
    for number in range(12):
        outer = message(f"nivel {number}")
        outer.add_attachment(made)
        made = outer
    found = parse(made.as_bytes())
    assert "nivel 11" in found.text
    assert "nivel 6" in found.text
    assert "en el fondo" not in found.text
    assert "too deep" in found.warnings[0]


def test_what_closes_an_attachment_closes_the_mail() -> None:
    made = message()
    made.add_attachment(b"---\nacl: [group:rrhh]\n---\nx\n", "text", "markdown", filename="a.md")
    assert parse(made.as_bytes()).metadata["acl"] == ["group:rrhh"]
    made.add_attachment(b"---\nacl: [group:it]\n---\nx\n", "text", "markdown", filename="b.md")
    assert parse(made.as_bytes()).metadata["acl"] == []


def test_quoted_text_is_told_apart() -> None:
    found = parse(b"From: a\nTo: b\nSubject: c\n\nsi\n> una pregunta\n> larga\nno\n")
    assert blocks(found)[2:] == [
        ("paragraph", "si"),
        ("quote", "> una pregunta\n> larga"),
        ("paragraph", "no"),
    ]


def test_flowed_lines_are_joined() -> None:
    head = b"From: a\nTo: b\nContent-Type: text/plain; format=flowed\n\n"
    assert parse(head + b"una frase \nlarga\ny otra\n").text.endswith("una frase larga\ny otra")


def test_a_mailbox_is_a_row_of_messages() -> None:
    box = (
        b"From a@b.c Mon Jan  1 10:00:00 2024\nSubject: uno\nFrom: a@b\n\nprimera\n\n"
        b"From nowhere in this sentence\n\n"
        b"From d@e Tue Jan  2 11:00:00 2024\nSubject: dos\nFrom: x\n\nsegunda\n"
    )
    found = parse(box)
    assert [text for kind, text in blocks(found) if kind == "heading"] == ["uno", "dos"]
    assert "From nowhere in this sentence" in found.text


def test_a_message_without_subject_ends_the_one_before() -> None:
    mark = b"From a@b.c Mon Jan  1 10:00:00 2024\n"
    box = mark + b"Subject: uno\nTo: a\n\nprimera\n\n" + mark + b"From: Eva\nTo: a\n\nsegunda\n"
    assert parse(box).elements[-1].heading == ("Eva",)


def test_a_charset_that_lies_and_base64_that_is_broken() -> None:
    lie = b'From: a\nTo: b\nContent-Type: text/plain; charset="us-ascii"\n\n' + "año".encode()
    assert "año" in parse(lie).text
    broken = b"From: a\nTo: b\nContent-Transfer-Encoding: base64\n\nSGV5I%%%HRoaXM\n"
    assert parse(broken).text


def test_what_is_no_mail_does_not_look_like_it() -> None:
    assert looks_like_mail(b"Return-Path: <a@b>\nReceived: x\n\ty\nFrom: a\nTo: b\n\nhola")
    assert not looks_like_mail(b"To: everyone\n\nFrom: here\n")
    assert not looks_like_mail(b"Name: a\nDate: b\nCity: c\n")
    assert not looks_like_mail("Título: uno\nFecha: dos\n".encode())
