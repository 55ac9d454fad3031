"""The page of `nftbench view`: its template, style and script, and what puts data into them."""
