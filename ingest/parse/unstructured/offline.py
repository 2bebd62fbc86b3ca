"""Keeps unstructured from fetching a language model, which it does on the first sentence it meets."""

import contextlib
import functools
import importlib
from typing import Any


@functools.cache
def no_download() -> None:
    """Give it a splitter of sentences without a model, unless the model is installed.

    What it loses are its English rules for telling a title from a sentence, by part of speech.

    Raises:
        ImportError: unstructured, or spaCy, is not installed.
    """
    spacy: Any = importlib.import_module("spacy")
    tokenize: Any = importlib.import_module("unstructured.nlp.tokenize")
    if not hasattr(tokenize, "_load_spacy_model"):
        raise ImportError("a version of unstructured that this one does not know")

    def load() -> Any:
        with contextlib.suppress(OSError):
            return spacy.load("en_core_web_sm", exclude=["ner", "lemmatizer", "attribute_ruler"])
        splitter = spacy.blank("xx")
        splitter.add_pipe("sentencizer")
        return splitter

    tokenize._load_spacy_model = load
