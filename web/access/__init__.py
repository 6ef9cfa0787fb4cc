"""Access to a table: which phone has which seat, who is a host, the join code, consent to see other players' cards, and
the rejection of requests from other web sites."""
