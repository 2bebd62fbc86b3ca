"""What one chunk's text says of entities and relations, by rules or by an LLM."""
