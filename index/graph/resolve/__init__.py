"""Which names mean the same entity."""
