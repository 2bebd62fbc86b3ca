"""From ranked candidates to hits: tag weights, near-duplicates, pruning, diversity; a step a file.

Order: `boost` rescores all candidates, `collapse` folds copies into the best of them, `prune` drops
what is weak, `diversity` picks among the rest, and the first k become hits. `choose` composes them.
"""
