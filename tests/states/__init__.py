"""States outside the process, really: a browser, a shell, a kernel, a server process, with what drives them."""
