# ClickHouse's own engine (chdb) behind its HTTP interface, as far as an insert needs it: the statement is the parameter
# `query`, the rows are the body. Prints its port.
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

sys.path.insert(0, sys.argv[1])
from chdb import session  # noqa: E402

engine = session.Session()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        query = parse_qs(urlparse(self.path).query)["query"][0]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        try:
            answer, status = str(engine.query(f"{query} {body}", "JSONEachRow")), 200
        except Exception as error:  # the engine's own words, as the server sends them
            answer, status = str(error), 500
        content = answer.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
