"""What phones are told while their pages are open: event streams, changed pages, requests for shares in the shuffle."""
