"""Attempts played on a Ray cluster, for `nftbench evaluate --executor ray` (extra `ray`)."""

from nftbench.adapters import needs

needs("ray", "ray")
