"""F7: fixed prices on Seaport, by orders that are signed off chain."""
