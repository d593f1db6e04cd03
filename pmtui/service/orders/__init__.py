"""An order's way: prepared, journaled, sent, judged, searched, moved, cancelled."""
