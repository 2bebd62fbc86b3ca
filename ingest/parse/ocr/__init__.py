"""OCR: an image becomes lines of text with their boxes."""
