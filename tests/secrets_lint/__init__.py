"""A lint that looks for secrets that leak: `python -m tests.secrets_lint` (`make secrets`).

It plays random games of every game in `GAMES` in two worlds that differ only in what a viewer may not know: hidden
cards, and the seed that decides all later cards. After each act it compares, byte by byte, everything that the viewer
is told in both worlds: the answers of every route of the application, events, logs, refusals and headers. Any
difference is a leak. The service's log must tell no viewer more than any other.
"""
