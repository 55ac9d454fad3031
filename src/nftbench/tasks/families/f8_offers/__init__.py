"""F8: offers on Seaport."""
