"""What of a page is not its text."""

import re
from typing import TYPE_CHECKING

from ingest.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

INVISIBLE = words(
    """
    script style noscript template iframe object embed svg canvas audio video head select
    option  datalist button input textarea map frameset
    """
)
ROLES = words(
    """
    navigation banner contentinfo search complementary dialog alertdialog menu menubar
    toolbar
    """
)
_BANNER = re.compile(r"cookie|consent|gdpr|onetrust|lgpd", re.I)
_SIDE = re.compile(
    r"(?:^|[\s_-])(?:sidebar|side-?nav|nav|navbar|menu|breadcrumbs?|pagination|pager|toc|skip(?:-?link|-[a-z-]+)?|"
    r"share|social|related|footer|sphinxsidebar)(?:[\s_-]|$)",
    re.I,
)
_ADMONITION = re.compile(
    r"(?:^|[\s_-])(?:admonition|note|warning|tip|callout|important|caution|danger)(?:[\s_-]|$)",
    re.I,
)
_PERMALINKS = words("¶ # § 🔗 ⚓")


def remove_invisible(tree: "HtmlElement") -> None:
    """Drop scripts, form controls, hidden parts and the permalink signs of headings."""
    drop(element for element in tree.iter() if _invisible(element))


def remove_boilerplate(tree: "HtmlElement") -> int:
    """Drop navigation, page header and footer, asides and banners; gives how many were dropped."""
    total = max(1, len(_text(tree)))
    headed = _h1_outside_header(tree)
    found = [e for e in tree.iter() if _boilerplate(e, total, headed)]
    drop(found)
    return len(found)


def drop(elements: "Iterable[HtmlElement]") -> None:
    """Take elements out of their tree, the text after each stays."""
    for element in list(elements):
        if element.getparent() is not None:
            element.drop_tree()


def is_note(element: "HtmlElement") -> bool:
    """Whether an element is an admonition, by its class."""
    return _ADMONITION.search(element.get("class") or "") is not None


def _text(element: "HtmlElement") -> str:
    return " ".join("".join(element.itertext()).split())


def _invisible(element: "HtmlElement") -> bool:
    if element.tag in INVISIBLE:
        return True
    if element.tag in ("html", "body"):
        return False
    if element.get("hidden") is not None:
        return True
    style = (element.get("style") or "").replace(" ", "").lower()
    if "display:none" in style or "visibility:hidden" in style:
        return True
    return element.tag == "a" and (element.text or "").strip() in _PERMALINKS and len(element) == 0


def _boilerplate(element: "HtmlElement", total: int, headed: bool) -> bool:
    tag = element.tag
    if tag in ("html", "body", "main", "article"):
        return False
    role = (element.get("role") or "").lower()
    if tag == "nav" or role in ROLES:
        return True
    if tag == "aside":
        return not (is_note(element) and _inside(element, ("article", "main", "section")))
    if tag in ("header", "footer"):
        own = _inside(element, ("article", "main", "section", "blockquote"))
        return not own and (tag == "footer" or headed or element.find(".//h1") is None)
    return _by_name(element, total)


def _by_name(element: "HtmlElement", total: int) -> bool:
    """Banners by name; sidebars and the like by name where they are mostly links."""
    name = f"{element.get('class') or ''} {element.get('id') or ''}"
    if not name.strip() or not (_BANNER.search(name) or _SIDE.search(name)):
        return False
    size = len(_text(element))
    if size > total / 2:
        return False
    if _BANNER.search(name):
        return element.tag in ("div", "section", "form", "p", "dialog") and size < 2000
    return sum(len(_text(a)) for a in element.iter("a")) > size / 2


def _inside(element: "HtmlElement", tags: tuple[str, ...]) -> bool:
    return any(ancestor.tag in tags for ancestor in element.iterancestors())


def _h1_outside_header(tree: "HtmlElement") -> bool:
    return any(not _inside(h1, ("header", "nav", "aside", "footer")) for h1 in tree.iter("h1"))
