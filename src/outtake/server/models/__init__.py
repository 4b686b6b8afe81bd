"""The types of the API: what is asked, what is answered, what is pushed.  The UI's types are generated from them."""
