"""Tables in text files: dialect → rows → header → records."""
