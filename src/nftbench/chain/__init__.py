"""The embedded chain: the only folder that imports an EVM."""
