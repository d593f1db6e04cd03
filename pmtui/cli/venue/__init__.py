"""`pmtui sim`, and the local venue of the paper profile."""
