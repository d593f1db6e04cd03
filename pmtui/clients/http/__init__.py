"""The one HTTP client: pools, rate limits, paging, and what a failed request means."""
