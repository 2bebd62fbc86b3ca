"""Measures engines and stages on this machine and this data."""
