"""From hits to an answer with citations: an LLM's words, checked, or the sources' own sentences."""
