"""RAPTOR (Sarthi et al. 2024, arXiv:2401.18059): trees of summaries that stay current."""
