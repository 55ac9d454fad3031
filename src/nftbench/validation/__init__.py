"""What makes a suite's claims checkable: `nftbench validate` and the steps that it takes."""
