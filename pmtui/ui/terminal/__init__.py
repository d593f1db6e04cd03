"""Input from and output to the terminal; all that touches Textual's private parts."""
