"""The terminal: paints views of the service and turns keys into commands."""
