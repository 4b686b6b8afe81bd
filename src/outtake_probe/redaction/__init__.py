"""Redaction: secrets stop in the debugged process.

`names` says which names tell that a secret stands under them, `forms` what secrets of well-known services look like,
`known` what a value looks like once it is known to be a secret.  `text` joins them to one cleaner of texts; `pieces`
cleans what comes in pieces.
"""
