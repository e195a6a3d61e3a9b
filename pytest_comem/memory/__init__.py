"""Memory systems behind one small interface, one file each."""
