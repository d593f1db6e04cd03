"""Order books, the ladder drawn from them, queues and the public tape."""
