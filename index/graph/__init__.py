"""A graph of entities and relations: the fold of what was extracted from each chunk."""
