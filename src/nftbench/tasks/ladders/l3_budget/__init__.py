"""L3: tokens of wanted traits bought within a budget that only the cheapest choice keeps, out of ever more listings."""
