"""EPUB: container → package document → chapters in reading order → the HTML walker."""
