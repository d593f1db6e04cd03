"""How the packaged catalogue is written: texts, prices and oddities from one seed."""
