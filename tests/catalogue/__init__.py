"""How the packaged catalogue of the local venue is written: texts, prices and oddities from one seed."""
