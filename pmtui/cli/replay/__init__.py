"""`pmtui replay`: a recording played into the whole terminal, with practice orders."""
