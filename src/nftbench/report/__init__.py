"""Figures and tables worked out from results."""
