"""What the control words of RTF mean that matter to text."""

from ingest.words import words

SIGNS = {
    "tab": "\t", "line": "\n", "lbr": "\n", "softline": "\n", "emdash": "—", "endash": "–",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
    "emspace": " ", "enspace": " ", "qmspace": " ", "~": " ", "_": "-", "{": "{", "}": "}",
    "\\": "\\", "nestcell": "; ", "nestrow": "; ", "zwj": "\u200d", "zwnj": "\u200c",
}  # fmt: skip
# Groups that hold no text of the document; so does any group that begins with \* and is not in KEPT.
SKIPPED = words(
    """
    colortbl pict object fldinst ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn listtable
    listoverridetable rsidtbl generator xmlnstbl themedata colorschememapping datastore latentstyles
    revtbl filetbl tc tcn xe txe rxe bkmkstart bkmkend nonshppict nonesttables sp pnseclvl template
    private panose falt docvar userprops mmath upr passwordhash atnid atrfstart atrfend shprslt
    atndate atntime atnref atnparent atnicn do
    """
)
KEPT = words("shpinst annotation atnauthor")
BACK = words("ud result")  # text within a group that holds none
GATHERED = {  # groups whose text goes elsewhere than into the paragraph
    **{"footnote": "note", "annotation": "note", "shptxt": "box", "atnauthor": "author"},
    **{"listtext": "label", "pntext": "label"},
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "edge"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "edge"),
}
INFO = {
    "title": "title",
    "author": "author",
    "subject": "description",
    "doccomm": "description",
    "keywords": "keywords",
    "category": "category",
}
DATES = {"creatim": "date", "revtim": "modified"}
CHARSETS = {
    77: "mac-roman", 128: "cp932", 129: "cp949", 130: "johab",
    134: "gb18030", 136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255",
    178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437",
    255: "cp850",
}  # fmt: skip
ANSI = {"mac": "mac-roman", "pc": "cp437", "pca": "cp850"}


def code_page(number: int | None) -> str:
    r"""The codec of ``\ansicpgN``, Windows-1252 where there is none."""
    if number in (932, 936, 949, 950, 65001):
        return {932: "cp932", 936: "gb18030", 949: "cp949", 950: "big5", 65001: "utf-8"}[number]
    if number == 10000:
        return "mac-roman"
    name = f"cp{number}"
    try:
        "".encode(name)
    except LookupError:
        return "cp1252"
    return name
