"""The HTTP client: connection pools, rate limits, paging, and the meaning of failures."""
