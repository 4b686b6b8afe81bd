"""Model clients that the generator Stainless wrote (openai, anthropic): calls of the model, through one seam.

Every call of such a client, however it was made (`create`, `parse`, the helpers for streams, raw responses, Azure, beta
paths), goes through the client's `request(cast_to, options)`.  There its body is JSON, retries have not begun, and what
comes back is still the library's to build.  So an answer from the record is given to the library as if a server had
sent it, and the program gets the objects that it always gets.

`library` says in what the libraries differ, `hooks` puts the seam in place, `exchange` is one request and its response,
`requests` and `answers` are these as JSON, `pieces` is what a stream gives.
"""
