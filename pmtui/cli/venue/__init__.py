"""`pmtui sim`, and the local venue that the paper profile runs on."""
