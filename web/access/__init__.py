"""Who may do and see what: which phone has which seat, the hosts, the join code, consent to other views, and requests
from other web sites."""
