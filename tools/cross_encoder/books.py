"""Manuals and package descriptions in English and Spanish, as passages with what each is asked by."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sections import Section, page, pod
from wording import content, cut, order, prose, speaks

BOOKS = {  # below usr/share: a pattern, and what it holds for English and for Spanish
    "apache": ("doc/apache2-doc/manual/{}/*.html", "en", "es"),
    "aptitude": ("doc/aptitude/html/{}/*.html", "en", "es"),
    "debian-edu": ("doc/debian-edu-doc-{}/*.html", "en", "es"),
    "debian-faq": ("doc/debian/FAQ/*.{}.html", "en"),
    "debian-handbook": ("doc/debian-handbook/html/{}/*.html", "en-US", "es-ES"),
    "debian-reference": ("debian-reference/*.{}.html", "en", "es"),
    "freedombox": ("freedombox/manual/{}/*.html", "en", "es"),
    "gimp": ("gimp/2.0/help/{}/*.html", "en", "es"),
    "gnome": ("help/{}/*.page", "C", "es"),
    "installation-guide": ("doc/installation-guide-amd64/{}/*.html", "en", "es"),
    "kicad": ("doc/kicad/help/{}/*.html", "en", "es"),
    "libreoffice": ("libreoffice/help/{}/text/*.html", "en-US", "es"),
    "lilypond": ("doc/lilypond/html/Documentation/*{}.html", "", ".es"),
    "maint-guide": ("doc/maint-guide{}.html", "/html/*.en", "-es/html/*.es"),
    "perl": ("perl/5.36.0/pod/*.pod", ""),
    "postgresql": ("doc/postgresql-doc-15/html/*.html", ""),
    "python": ("doc/python3.11/html/*.html", ""),
    "r": ("R/doc/manual/*.html", ""),
    "securing-debian": ("doc/harden-doc/html/{}/*.html", "en-US", "es-ES"),
    "sqlite": ("doc/sqlite3/*.html", ""),
    "zsh": ("doc/zsh-common/html/*.html", ""),
}
UNREAD = re.compile(
    r"\.[a-z]{2}(_[A-Z]{2})?$|big-page|internals|contributor|releaselog|c3ref|changes|genindex"
    r"|perltoc|delta"
)
GENERIC = re.compile(
    r"chang|release|versi|copyright|licen|index|índice|content|contenido|example|ejemplo|acknowl"
    r"|bibliogr|histor|credit|crédito|summary|novedades|see also|véase|table|tabla|about this"
    r"|acerca de est|autor|author|miscell|activate|activar|overview|visión general|synopsis|diagnostics"
    r"|behind the scenes|what.s new",
    re.IGNORECASE,
)
UNWANTED = re.compile(
    r"^(lib|task-|hunspell|aspell|hyphen|mythes|fonts-|texlive|node-|golang-|r-cran|ruby-)"
    r"|-(dev|dbg|dbgsym|doc|data|common|perl|[il]1[08]n(-.*)?|locales?|es|fr|de)$|-l10n-"
)
ODD = re.compile(r"[_{}<>=\\()|$@]|::|--|\.\.\.|/|\b[A-Z]\. ")
GLUED = re.compile(
    r"[^\W\d_]{2}[a-záéíóúñ](?!Office|Script)[A-ZÁÉÍÓÚ][a-záéíóúñ]{3}"
)  # of two headings


@dataclass
class Passage:
    """A text, the questions it answers (query, kind, lang), and its translations."""

    key: str
    source: str
    lang: str
    title: str
    text: str
    whole: str = ""  # before the cut
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    also: set[str] = field(default_factory=set)


def kind_of(section: Section) -> str:
    """Of the query that a heading makes; nothing where it makes none."""
    heading, said = section.heading, content(section.heading)
    if GENERIC.search(heading) or GLUED.search(heading) or len(said) < 2:
        return ""
    if heading.endswith("?") and len(heading.split()) > 3 and len(heading) < 160:
        return "question"
    if ODD.search(heading) or heading.isupper() or len(heading) > 110 or len(heading.split()) < 3:
        return ""
    first = content(re.split(r"(?<=[.?!:])\s", section.text)[0])
    return "heading" if len(said & first) < 0.75 * len(said) else ""


def files(root: Path, pattern: str) -> dict[str, Path]:
    """The files of a book by what stands for the * in its pattern."""
    folder, _, suffix = pattern.partition("*")
    found = sorted((root / folder).rglob(f"*{suffix}"))
    names = {str(f.relative_to(root / folder))[: -len(suffix)]: f for f in found if f.is_file()}
    return {name: f for name, f in names.items() if not UNREAD.search(name)}


def couples(left: list[Section], right: list[Section]) -> list[tuple[int, int]]:
    """The numbers of the sections that translate each other: by place, or else by anchor."""
    if [s.level for s in left] == [s.level for s in right]:
        return [(i, i) for i in range(len(left))]
    places = {s.anchor: i for i, s in enumerate(right) if s.anchor}
    return [(i, places[s.anchor]) for i, s in enumerate(left) if s.anchor in places]


def passage(source: str, name: str, lang: str, section: Section) -> Passage | None:
    """A section as a passage, where it is prose in its language."""
    text = cut(section.text)
    if not prose(text) or not speaks(text, lang):
        return None
    above = [h for h in dict.fromkeys(section.above) if h and h != section.heading]
    return Passage(name, source, lang, " > ".join(above), text, section.text)


def book(root: Path, source: str) -> Iterator[list[tuple[Passage, Section]]]:
    """The passages of a book, each beside its translation where there is one."""
    pattern, *values = BOOKS[source]
    paths = {"en": {}, "es": {}}
    for lang, value in zip(paths, values, strict=False):
        paths[lang] = files(root / "usr/share", pattern.format(value))
    for name in sorted(paths["en"].keys() | paths["es"].keys()):
        read: dict[str, list[Section]] = {"en": [], "es": []}
        for lang in read:
            if name in paths[lang]:
                read[lang] = (pod if source == "perl" else page)(paths[lang][name])
        links = dict(couples(read["en"], read["es"]))
        groups = [
            [("en", i), *([("es", links[i])] if i in links else [])] for i in range(len(read["en"]))
        ]
        groups += [[("es", i)] for i in range(len(read["es"])) if i not in links.values()]
        for group in groups:
            named = [(lang, f"{source}/{name}/{lang}/{i}", read[lang][i]) for lang, i in group]
            made = [(passage(source, key, lang, s), s) for lang, key, s in named]
            yield [(p, s) for p, s in made if p]


def ask(group: list[tuple[Passage, Section]]) -> list[Passage]:
    """Lets each heading ask for its own section and for the translation."""
    headings = {p.lang: s.heading for p, s in group}
    for p, section in group:
        p.also = {q.key for q, _ in group if q is not p}
        kind = kind_of(section)
        if not kind or (
            len(group) > 1 and len({h.lower() for h in headings.values()}) < 2 and p.lang == "es"
        ):
            continue
        p.asked.append((section.heading, kind, p.lang))
        for other, _ in group:
            if other.lang != p.lang and len(set(headings.values())) > 1:
                other.asked.append((section.heading, "cross", p.lang))
    return [p for p, _ in group]


def descriptions(file: Path, lang: str) -> dict[str, tuple[str, str, str]]:
    """Package, short and long description by the checksum of the English original."""
    found = {}
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        m = re.match(
            rf"Package: (\S+)\nDescription-md5: (\w+)\nDescription-{lang}: (.*)\n((?: .*\n?)+)",
            block,
        )
        if (
            not m
            or UNWANTED.search(m[1])
            or re.search(r"transition|dummy|debug|metapack|transici", m[3])
        ):
            continue
        long = " ".join(re.sub(r"^ \.$", "", m[4], flags=re.M).split())
        if (
            len(m[3].split()) >= 3
            and m[3].lower() not in long.lower()
            and speaks(long, lang)
            and prose(long)
        ):
            found[m[2]] = (m[1], m[3], cut(long))
    return found


def packages(root: Path) -> Iterator[list[Passage]]:
    """Package descriptions: 400 in both languages, 400 more in English."""
    told = {lang: descriptions(root / f"Translation-{lang}", lang) for lang in ("en", "es")}
    both = sorted(told["en"].keys() & told["es"].keys(), key=order)[:400]
    for md5 in both + sorted(told["en"].keys() - told["es"].keys(), key=order)[:400]:
        langs = [lang for lang in ("en", "es") if md5 in told[lang]]
        made = [
            Passage(f"package/{md5}/{k}", "package", k, told[k][md5][0], told[k][md5][2])
            for k in langs
        ]
        for p in made:
            p.also = {q.key for q in made if q is not p}
            p.asked = [
                (told[k][md5][1], "description" if k == p.lang else "cross", k) for k in langs
            ]
        yield made
