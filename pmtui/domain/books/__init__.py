"""Order books, the price ladder, queue positions and the public tape."""
