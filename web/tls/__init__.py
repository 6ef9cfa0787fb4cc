"""HTTPS: the table's certificates, and the page that explains how to trust them."""
