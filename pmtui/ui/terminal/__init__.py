"""Input from and output to the terminal; everything that touches Textual's private parts."""
