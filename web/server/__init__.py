"""The HTTP server: connections, TLS handshakes, and the bridge to Flask. It knows nothing of pages."""
