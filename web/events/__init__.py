"""Events for phones while their pages are open: event streams, changes of pages, requests for shares in the shuffle."""
