import unicodedata

import pytest

from index.lexical.analyzer import Analyzer
from index.lexical.cognates import cognates
from index.lexical.folding import enye_variants, fold
from index.lexical.forms import split_identifier
from index.lexical.stems import stemmer
from index.lexical.stopwords import guess_languages
from index.lexical.tokens import surface_tokens
from kb.settings import Bm25Settings

ANALYZER = Analyzer(Bm25Settings())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Llama a getUserName() o snake_case.", "Llama a getUserName o snake_case"),
        ("pkg.mod, kebab-case; kb/models/x.py", "pkg.mod kebab-case kb/models/x.py"),
        ("C++ (C#) y .NET, C++17", "C++ C# y .NET C++ 17"),
        (
            "HTTP-403 R123-78 --flag -v 3.14 v1.2.3 5 R",
            "HTTP-403 R123-78 --flag -v 3.14 v1.2.3 5 R",
        ),
        ("don\u2019t multi\u2011agent", "don't multi-agent"),
        ("\u00bfqu\u00e9? a AND NEAR(", "qu\u00e9 a AND NEAR"),
        ("6\u00bd sacks, CO\u2082", "6 1 2 sacks CO2"),
        ("extraor\u00addinario", "extraordinario"),
        ('" ??? --- \u2014', ""),
    ],
)
def test_surface_tokens(text: str, tokens: str) -> None:
    assert surface_tokens(text) == tokens.split()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserName", "getusername get user name"),
        ("get_user_name", "getusername get user name"),
        ("parseHTTPResponse", "parsehttpresponse pars http respons"),
        ("pkg.mod", "pkg.mod pkg mod"),
        ("kb/models/embedder.py", "kb/models/embedder.py kb model embedder.py embedd py"),
        ("multi-agent", "multiag multi agent"),
        ("HTTP-403", "http-403 http 403"),
        ("C++ C#", "c++ c c# c"),
        (".NET --flag", ".net net --flag flag"),
        ("v1.2.3", "v1.2.3 v1 2 3"),
        ("Denver's U.S. 1,000", "denver us 1,000 1000"),
        ("python3 h264", "python3 python 3 h264"),
    ],
)
def test_whole_and_parts_in_english(text: str, terms: str) -> None:
    assert ANALYZER.index_terms(text, "en") == terms.split()


def test_the_language_of_the_chunk_picks_stemmer_and_stop_words() -> None:
    text = "las casas de the houses"
    assert ANALYZER.index_terms(text, "es") == ["cas", "the", "hous"]
    assert ANALYZER.index_terms(text, "en") == ["las", "casa", "de", "hous"]
    assert ANALYZER.index_terms(text, "") == ["las", "casas", "de", "the", "houses"]
    assert ANALYZER.index_terms(text, "xx") == ["las", "casas", "de", "the", "houses"]


def test_settings_switch_stemming_stop_words_and_enye() -> None:
    plain = Analyzer(Bm25Settings(stem=False, stop_words=False, fold_enye=True))
    assert plain.index_terms("Las casas del año", "es") == ["las", "casas", "del", "ano"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("language", ["es", "en", ""])
def test_accents_and_unicode_forms_meet_in_one_term(form: str, language: str) -> None:
    def terms(text: str) -> list[str]:
        return ANALYZER.index_terms(text, language)

    assert terms(unicodedata.normalize(form, "camión")) == terms("camion")
    assert terms(unicodedata.normalize(form, "INFORMACIÓN")) == terms("informacion")
    assert terms(unicodedata.normalize(form, "Núñez")) == terms("nuñez") != terms("nunez")
    assert terms(unicodedata.normalize(form, "año")) != terms("ano")


def test_fold_keeps_enye_alone() -> None:
    assert fold("Ñandú") == "ñandu"
    assert fold("Ñandú", enye=True) == "nandu"
    assert fold("ã õ ç ü ß Ø ﬁ") == "a o c u ss o fi"


def test_enye_variants_are_bounded_and_for_long_words() -> None:
    assert enye_variants("ano") == []
    assert enye_variants("nunez") == ["ñunez", "nuñez", "ñuñez"]
    assert enye_variants("señor") == ["senor"]
    assert enye_variants("nnnnn") == []


def test_unspaced_scripts_are_cut_into_pairs() -> None:
    assert ANALYZER.index_terms("日本語", "ja") == ["日", "本", "語", "日本", "本語"]
    assert [w.text for w in ANALYZER.query_words("日本語", ["ja"])] == ["日本", "本語"]
    assert [w.text for w in ANALYZER.query_words("語", ["ja"])] == ["語"]


def test_identifiers_are_cut() -> None:
    assert split_identifier("parseHTTPResponse") == ["parse", "HTTP", "Response"]
    assert split_identifier("_cache_1990s") == ["cache", "1990", "s"]
    assert split_identifier("___") == []


def test_guessed_language() -> None:
    assert guess_languages(["qué", "es", "el", "camión"]) == {"es"}
    assert guess_languages(["what", "is", "the", "truck"]) == {"en"}
    assert guess_languages(["no"]) == {"es", "en"}
    assert guess_languages(["debian-installer"]) == frozenset()


def test_query_words_carry_the_stems_of_every_language_of_the_index() -> None:
    words = ANALYZER.query_words("¿Cuántas casas, casas?", ["en", "es"])
    assert [(w.text, w.terms, w.weight) for w in words] == [("casas", ("casa", "cas"), 2.0)]
    (word,) = ANALYZER.query_words("la información", ["en"])
    assert "inform" in word.terms  # as the English stem of "information"


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("informacion", "information"),
        ("universidad", "university"),
        ("fotografia", "photography"),
        ("estructura", "structure"),
        ("democracia", "democracy"),
    ],
)
def test_cognates_go_both_ways(spanish: str, english: str) -> None:
    stem = stemmer("en")
    assert stem(english) in map(stem, cognates(spanish, "es", "en"))
    stem = stemmer("es")
    assert stem(spanish) in map(stem, cognates(english, "en", "es"))


def test_cognates_are_for_long_spanish_and_english_words() -> None:
    assert cognates("casa", "es", "en") == []
    assert cognates("http-403", "es", "en") == []
    assert cognates("informacion", "es", "es") == []
    assert cognates("informacion", "es", "fr") == []


@pytest.mark.parametrize("query", ["de la que el", "???", "", "   ", "the of and"])
def test_queries_without_content_have_no_words(query: str) -> None:
    assert ANALYZER.query_words(query, ["en", "es"]) == ()


def test_stop_words_typed_without_accents_are_stop_words() -> None:
    assert [w.text for w in ANALYZER.query_words("tambien segun el manual", ["es"])] == ["manual"]


def test_unknown_languages_are_not_stemmed() -> None:
    assert stemmer("tlh")("casas") == "casas"
    assert stemmer("es")("casas") == "cas"


def test_short_spanish_plurals_meet_their_singular() -> None:
    for one, many in (("año", "años"), ("dia", "dias"), ("uso", "usos"), ("mes", "meses")):
        assert stemmer("es")(one) == stemmer("es")(many)
