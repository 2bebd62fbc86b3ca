"""Engines: structures that find near vectors. One file each, swappable without embedding."""
