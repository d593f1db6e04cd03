"""Themes: loading, colour roles, the picker."""
