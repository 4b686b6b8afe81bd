"""A model provider on the loopback, as the source of a file that lies beside the programs of the client libraries.

The program starts it: what comes there is a real call.
"""

PROVIDER = '''
import json, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from stage import BROKEN, SLOW, called

def texts(value):
    """Every text that the model is told, in order."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    if isinstance(value, dict):
        return texts(value.get("content") or value.get("text") or [])
    return []

def serve(whole, events, turns=("messages", "input")):
    """Answer requests with `whole(path, text)` or `events(path, text)`; returns the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = " ".join(text for name in turns for text in texts(body.get(name)))
            answer = called("model", asked)
            if "please fail" in asked:
                return self.reply(400, {"type": "error", "error": {"type": "invalid_request_error", "message": BROKEN}})
            if not body.get("stream"):
                threading.Event().wait(SLOW if "slowly" in asked else 0)
                return self.reply(200, whole(self.path, answer))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for number, event in enumerate(events(self.path, answer)):
                if "slowly" in asked and number == 2:
                    threading.Event().wait(SLOW)
                name = f"event: {event['type']}\\n" if "type" in event else ""
                self.wfile.write(f"{name}data: {json.dumps(event)}\\n\\n".encode())
            self.wfile.write(b"data: [DONE]\\n\\n")

        def reply(self, status, value):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
'''
