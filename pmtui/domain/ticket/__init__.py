"""The order ticket: text to fields, fields to problems or an intent."""
