"""`pmtui record`: keeps the streams and the hosts' answers about some tokens in a file."""
