"""The sub-commands of `nftbench`, one file each."""
