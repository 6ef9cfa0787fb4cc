"""Drawings on pages: charts, the icons of tokens, QR codes."""
