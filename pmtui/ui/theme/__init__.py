"""Themes: loading, roles of colours, the picker."""
