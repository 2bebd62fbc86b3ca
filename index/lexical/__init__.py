"""The lexical index: BM25 of our own over words, identifiers and signs.

``tokens → folding → stopwords → stems`` make terms (`analyzer` composes them), ``build`` writes the
postings as plain arrays, ``reader`` ranks and explains, ``weighting`` holds the formulas.
"""
