"""What building the graph would ask of an LLM about its chunks, found out without asking.

Reports on communities are not foreseen: which ones there will be, only the answers tell.
"""

from collections import deque

from index.assemble import assemble
from index.files import indexed_files
from index.graph.extract.asking import Asker
from index.graph.extract.keys import key_of, way_of
from index.graph.extract.read import is_code
from ingest.contextualize.wish import Wish
from kb.location import Location
from kb.models.llm.lazily import lazily
from kb.models.llm.plan import Plan
from kb.settings import Settings
from kb.store import Store
from kb.store.extractions import Extractions


def foresee(location: Location, store: Store, settings: Settings, *, retry: bool = False) -> Plan:
    """The calls, of chunks that are read and contextualized; further rounds are counted for each."""
    plan = Plan()
    if settings.graph.extractor != "llm":
        return plan
    way = way_of(settings)
    texts = {
        key_of(way, chunk.text, is_code=is_code(chunk.kinds)): chunk.text
        for chunk in assemble(store, indexed_files(store))
    }
    known = Extractions(store).get(texts)
    missing = {
        key: text
        for key, text in texts.items()
        if key not in known or (retry and known[key].problem)
    }
    with lazily(location, settings.llm, lambda _: None, plan) as llm:
        for _ in range(1 + settings.graph.gleanings):
            asker = Asker(settings, llm, Wish(), lambda *_: None)
            deque(asker.ask(missing), maxlen=0)
    return plan
