"""Finds the settings that answer a test set best, and what each costs."""
