"""Who may read what."""

from typing import Any

import pytest

from ingest.about import NOBODY, acl_of
from kb.configure import load_settings
from kb.errors import UsageError
from kb.settings import AclRule, AclSettings
from query.filter import principal_of
from query.filter.rights import may_read, may_read_path
from tests.filtering import document

STAFF = AclRule(path="**", labels=("group:staff",))
HR = AclRule(path="hr/", labels=("group:hr", "user:ana"))


def reads(
    principal: str, path: str, *acl: tuple[str, ...], settings: AclSettings | None = None
) -> bool:
    test = may_read(settings or AclSettings(), principal_of(principal))
    return test(document(path, acl=acl))


@pytest.mark.parametrize(
    ("metadata", "labels"),
    [
        ({}, None),
        ({"acl": ["group:hr", " user:ana "]}, ("group:hr", "user:ana")),
        ({"ACL ": "group:hr, user:ana,group:hr"}, ("group:hr", "user:ana")),
        ({"acl": ["Jose\u0301"]}, ("José",)),
        ({"acl": None}, NOBODY),
        ({"acl": []}, NOBODY),
        ({"acl": ""}, NOBODY),
        ({"acl": ["a", ""]}, NOBODY),
        ({"acl": ["a", 5]}, NOBODY),
        ({"acl": {"group": "hr"}}, NOBODY),
        ({"acl": [{"group": "hr"}]}, NOBODY),
        ({"acl": True}, NOBODY),
        ({"acl": "a", "Acl": "b"}, NOBODY),
    ],
)
def test_labels_of_a_document(metadata: dict[str, Any], labels: tuple[str, ...] | None) -> None:
    assert acl_of(metadata) == labels


def test_labels_open_to_those_who_hold_one() -> None:
    acl = ("group:hr", "user:ana")
    assert reads("user:ana,group:it", "a.md", acl)
    assert reads(" group:hr ", "a.md", acl)
    for other in ("", ",", "group:it", "group:HR", "hr", "group:hr:x", "*", "group:h"):
        assert not reads(other, "a.md", acl)
    assert reads("", "a.md")


def test_nobody_reads_what_names_nobody() -> None:
    assert not reads("group:hr", "a.md", ())
    assert not reads("group:hr", "a.md", ("group:hr",), ())


def test_every_layer_has_to_let_in() -> None:
    settings = AclSettings(rules=(STAFF, HR))
    assert reads("group:staff", "docs/a.md", settings=settings)
    assert not reads("group:staff", "docs/hr/a.md", settings=settings)
    assert not reads("group:hr", "docs/hr/a.md", settings=settings)
    assert reads("group:staff,user:ana", "/srv/hr/a.md", settings=settings)
    assert not reads("group:staff,group:hr", "docs/hr/a.md", ("group:board",), settings=settings)


def test_required_hides_what_nobody_labelled() -> None:
    settings = AclSettings(required=True, rules=(HR,))
    assert not reads("group:hr", "docs/a.md", settings=settings)
    assert reads("group:hr", "docs/hr/a.md", settings=settings)
    assert reads("group:it", "docs/a.md", ("group:it",), settings=settings)


def test_a_path_alone() -> None:
    assert not may_read_path(AclSettings(rules=(HR,)), ())("docs/hr/a.md")
    assert may_read_path(AclSettings(rules=(HR,)), ("user:ana",))("docs/hr/a.md")
    assert may_read_path(AclSettings(), ())("docs/a.md")
    assert not may_read_path(AclSettings(required=True), ("user:ana",))("docs/a.md")


@pytest.mark.parametrize("glob", ["# hr", " ", "!hr/"])
def test_a_rule_that_matches_nothing_is_refused(glob: str) -> None:
    with pytest.raises(UsageError, match="matches no file"):
        may_read(AclSettings(rules=(AclRule(path=glob, labels=("a",)),)), ())


@pytest.mark.parametrize(
    "text",
    [
        "acl.rules = [{path = 'a', labels = []}]",
        "acl.rules = [{path = '', labels = ['a']}]",
        "acl.rules = [{path = 'a', labels = ['']}]",
        "acl.rules = [{path = 'a', label = ['b']}]",
        "acl.require = true",
        "acl.required = 'yes'",
    ],
)
def test_settings_that_do_not_hold_are_refused(text: str, tmp_path: Any) -> None:
    file = tmp_path / "tesela.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match="settings"):
        load_settings(file, environment={})


def test_settings_by_file_and_variable(tmp_path: Any) -> None:
    file = tmp_path / "tesela.toml"
    file.write_text('[[acl.rules]]\npath = "hr/"\nlabels = ["group:hr", "user:ana"]\n')
    settings = load_settings(
        file, environment={"TESELA_ACL_REQUIRED": "true", "TESELA_PRINCIPAL": "x"}
    )
    assert settings.acl == AclSettings(required=True, rules=(HR,))
