"""Further searches beside the question's own: in other words, by an imagined answer, from further off."""
