"""One feed per kind of knowledge: each fetches or hears, keeps the newest, and marks its topics."""
