# SPDX-License-Identifier: Apache-2.0
"""`tern play` as a browser meets it, and as nobody should: requests that leave the folder, that
never end, that are not HTTP.

Usage: cli_play_test.py TERN      ends with `N passed, N failed`
The page is a folder made here, so that no build of the real one is needed; what the page does with
the address is tested in tests/web/e2e/play.spec.ts.
"""
import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

TERN = ""
PROGRAM = ".func @main(x: f32[n]) -> f32[n]\n  ret   ret %0\n"
LOOPS = """te double<n>(A: float32[n]) -> (B: float32[n]) {
  compute B[i] = A[i] + A[i]
  schedule { vectorize(B, i, scalable = true) }
}
"""
SCRIPT = b"console.log('page');\n" * 100


def write(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    return path


def make_page(folder):
    write(folder, "index.html", b"<!doctype html><title>page</title>")
    write(folder, "assets/app.js", SCRIPT)
    write(folder, "assets/app.js.gz", gzip.compress(SCRIPT))
    write(folder, "assets/tern.wasm", b"\0asm")
    write(folder, "assets/tern-loops.wasm-1.gz", gzip.compress(b"\0asm"))
    write(folder, "assets/large.bin", b"x" * 3_000_000)
    os.symlink("/etc/passwd", os.path.join(folder, "link.html"))


class Server:
    """A `tern play` while it runs."""

    def __init__(self, *arguments):
        command = [TERN, "play", "--no-open", "--format", "json", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate()[1])
        self.answer = json.loads(line)
        self.port = urllib.parse.urlsplit(self.answer["url"]).port

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors

    def get(self, path, method="GET", **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, headers=fields)
        response = connection.getresponse()
        response.body = response.read()
        connection.close()
        return response

    def say(self, data, whole=True):
        """What comes back for these bytes until the server ends the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as client:
            try:
                client.sendall(data)
                if whole:
                    client.shutdown(socket.SHUT_WR)
            except (ConnectionResetError, BrokenPipeError):
                pass
            answer = b""
            while True:
                try:
                    piece = client.recv(1 << 16)
                except ConnectionResetError:
                    return answer
                if not piece:
                    return answer
                answer += piece


def has_llvm(program):
    command = [TERN, "lower", program, "--emit", "asm", "--target", "aarch64+sve"]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


class PlayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        page = os.path.join(cls.folder.name, "page")
        make_page(page)
        write(cls.folder.name, "secret.txt", b"secret")
        cls.program = write(cls.folder.name, "own model #1.tasm", PROGRAM.encode())
        cls.page = page
        cls.server = Server(cls.program, "--page", page, "-v")

    @classmethod
    def tearDownClass(cls):
        code, log = cls.server.stop()
        cls.folder.cleanup()
        assert code == 0, code
        # Every request of these tests stands in the log, in printable characters.
        assert "200 GET / HTTP/1.1\n" in log and "\x1b" not in log, log

    def setUp(self):
        self.assertIsNone(self.server.process.poll())

    def tearDown(self):
        # Whatever was sent, the next visitor is served.
        self.assertEqual(self.server.get("/").status, 200)

    # --- what is asked for

    def test_page_and_types(self):
        rows = [("/", "text/html; charset=utf-8"), ("/index.html", "text/html; charset=utf-8"),
                ("/assets/app.js", "text/javascript; charset=utf-8"),
                ("/assets/tern.wasm", "application/wasm"),
                ("/assets/tern-loops.wasm-1.gz", "application/gzip"),
                ("/assets/large.bin?v=2", "application/octet-stream")]
        for path, kind in rows:
            with self.subTest(path):
                response = self.server.get(path)
                self.assertEqual((response.status, response.getheader("Content-Type")), (200, kind))
                self.assertEqual(len(response.body), int(response.getheader("Content-Length")))

    def test_fields_that_keep_others_out(self):
        for path in ("/", "/none"):
            response = self.server.get(path)
            self.assertEqual(response.getheader("Cross-Origin-Resource-Policy"), "same-origin")
            self.assertEqual(response.getheader("Cross-Origin-Embedder-Policy"), "require-corp")
            self.assertEqual(response.getheader("X-Content-Type-Options"), "nosniff")
            self.assertIsNone(response.getheader("Access-Control-Allow-Origin"))

    def test_the_address_leads_to_the_file_as_it_is_now(self):
        url = urllib.parse.urlsplit(self.server.answer["url"])
        [source] = urllib.parse.parse_qs(url.query)["src"]
        self.assertEqual(source, "open/own%20model%20%231.tasm")
        self.assertEqual(self.server.get("/" + source).body, PROGRAM.encode())
        changed = "; changed\n" + PROGRAM
        write(self.folder.name, "own model #1.tasm", changed.encode())
        self.assertEqual(self.server.get("/" + source).body, changed.encode())

    def test_packed_files(self):
        packed = self.server.get("/assets/app.js", **{"Accept-Encoding": "br, gzip;q=0.8"})
        self.assertEqual(packed.getheader("Content-Encoding"), "gzip")
        self.assertEqual(packed.getheader("Content-Type"), "text/javascript; charset=utf-8")
        self.assertEqual(gzip.decompress(packed.body), SCRIPT)
        for accepted in ("identity", "gzip;q=0", "x-gzipped"):
            plain = self.server.get("/assets/app.js", **{"Accept-Encoding": accepted})
            self.assertIsNone(plain.getheader("Content-Encoding"), accepted)
            self.assertEqual((plain.body, plain.getheader("Vary")), (SCRIPT, "Accept-Encoding"))

    def test_head_has_no_body(self):
        response = self.server.get("/assets/large.bin", "HEAD")
        self.assertEqual((response.body, response.getheader("Content-Length")), (b"", "3000000"))

    def test_requests_behind_each_other_on_one_connection(self):
        ask = "GET /{} HTTP/1.1\r\nHost: localhost\r\n{}\r\n"
        both = ask.format("assets/app.js", "") + ask.format("none", "")
        answer = self.server.say(both.encode())
        self.assertEqual(re.findall(rb"HTTP/1.1 (\d+)", answer), [b"200", b"404"])
        self.assertIn(SCRIPT, answer)
        closed = self.server.say(ask.format("", "Connection: close\r\n").encode(), whole=False)
        self.assertIn(b"Connection: close", closed)

    def test_silent_connections_do_not_keep_others_waiting(self):
        silent = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(20)]
        silent[0].sendall(b"GET / HTTP/1.1\r\nHost: loc")
        begin = time.monotonic()
        self.assertEqual(self.server.get("/").status, 200)
        self.assertLess(time.monotonic() - begin, 10)
        for client in silent:
            client.close()

    def test_a_client_that_leaves_in_the_middle(self):
        for _ in range(5):
            client = socket.create_connection(("127.0.0.1", self.server.port))
            client.sendall(b"GET /assets/large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.recv(1000)
            client.close()

    # --- what is refused

    def status_of(self, request):
        answer = self.server.say(request)
        match = re.match(rb"HTTP/1\.1 (\d+) ", answer)
        self.assertIsNotNone(match, answer[:200])
        self.assertIn(b"Connection: close", answer)
        self.assertNotIn(b"secret", answer)
        return int(match[1])

    def test_nothing_outside_of_the_folder(self):
        for path in ("/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt",
                     "/..%2fsecret.txt", "//etc/passwd", "/assets/..\\..\\secret.txt",
                     "/index.html/../../secret.txt", "/open/../secret.txt", "/link.html",
                     "/open/secret.txt", "/assets", "/assets/", "/%00", "/index.html%00.js",
                     "/" + self.program, "/open/" + urllib.parse.quote(self.program, safe="")):
            with self.subTest(path):
                request = f"GET {path.replace(' ', '%20')} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                self.assertEqual(self.status_of(request.encode()), 404)

    def test_what_is_no_request(self):
        head = b" HTTP/1.1\r\nHost: localhost\r\n"
        rows = [
            (b"\r\n\r\n", 400), (b"GET\r\n\r\n", 400), (b"GET /\r\n\r\n", 400),
            (b"GET  /" + head + b"\r\n", 400), (b"GET index.html" + head + b"\r\n", 400),
            (b"GET http://evil.example/" + head + b"\r\n", 400),
            (b"GET /\x01" + head + b"\r\n", 400), (b"GET /\xff" + head + b"\r\n", 400),
            (b"GET /" + head + b"no colon\r\n\r\n", 400),
            (b"GET /" + head + b" folded: x\r\n\r\n", 400),
            (b"GET /" + head + b"x : y\r\n\r\n", 400),
            (b"GET /" + head + b"x: a\x00b\r\n\r\n", 400),
            (b"GET /" + head + b"Host: localhost\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
            (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
            (b"GET / SPDY/3\r\nHost: localhost\r\n\r\n", 400),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        ]
        for request, status in rows:
            with self.subTest(request):
                self.assertEqual(self.status_of(request), status)

    def test_methods_and_bodies(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get"):
            response = self.server.get("/index.html", method)
            self.assertEqual((response.status, response.getheader("Allow")), (405, "GET, HEAD"))
        for field in ("Content-Length: 5", "Content-Length: -1", "Transfer-Encoding: chunked"):
            request = f"GET / HTTP/1.1\r\nHost: localhost\r\n{field}\r\n\r\nhello"
            self.assertEqual(self.status_of(request.encode()), 413, field)

    def test_pages_of_others_that_name_this_machine(self):
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80",
                     "[::1]", "192.168.0.7"):
            request = f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"
            self.assertEqual(self.status_of(request.encode()), 403, host)

    def test_heads_without_an_end(self):
        self.assertEqual(self.status_of(b"GET /" + b"a" * 100_000), 431)
        self.assertEqual(self.status_of(b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 10_000), 431)
        long = b"GET / HTTP/1.1\r\nHost: localhost\r\nx: " + b"y" * 20_000 + b"\r\n\r\n"
        self.assertEqual(self.status_of(long), 431)

    def test_half_a_request_gets_no_answer_and_no_harm(self):
        for request in (b"", b"G", b"GET / HTTP/1.1\r\nHost: localhost\r\n"):
            self.assertEqual(self.server.say(request), b"")

    def test_half_a_request_is_not_waited_for_for_ever(self):
        answer = self.server.say(b"GET / HTTP/1.1\r\nHost: local", whole=False)
        self.assertIn(b"HTTP/1.1 408 ", answer)

    def test_only_this_machine_is_listened_to(self):
        addresses = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False)
        for address in addresses.stdout.split():
            with self.assertRaises(OSError):
                socket.create_connection((address, self.server.port), timeout=5)


class CommandTest(unittest.TestCase):
    def refused(self, *arguments):
        result = subprocess.run([TERN, "play", "--no-open", *arguments], capture_output=True,
                                text=True, check=False, timeout=60)
        self.assertEqual(result.stdout, "")
        return result.returncode, result.stderr

    def test_what_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            code, text = self.refused("--page", folder)
            self.assertEqual(code, 2)
            self.assertIn("holds no index.html", text)
            # A copy of the program has no page beside it.
            copy = write(folder, "bin/tern", b"")
            with open(TERN, "rb") as file:
                write(folder, "bin/tern", file.read())
            os.chmod(copy, 0o755)
            result = subprocess.run([copy, "play", "--no-open"], capture_output=True, text=True,
                                    check=False, timeout=60)
            self.assertEqual(result.returncode, 5)
            self.assertIn("error[E0101]: the page is not installed beside this program",
                          result.stderr)
            self.assertIn("install the package tern again", result.stderr)
            self.assertIn("share/tern/page", result.stderr)
            make_page(os.path.join(folder, "share/tern/page"))
            server = subprocess.Popen([copy, "play", "--no-open"], stdout=subprocess.PIPE,
                                      text=True)
            line = server.stdout.readline()
            server.terminate()
            self.assertEqual(server.wait(20), 0)
            server.stdout.close()
            self.assertRegex(line, r"^http://127\.0\.0\.1:\d+/\?src=(&listings=listings)? ")

    def test_files_that_cannot_be_played(self):
        with tempfile.TemporaryDirectory() as folder:
            make_page(folder)
            for file, code, text in (("/no/such.onnx", 5, "E0101"), ("-", 2, "E0003"),
                                     (write(folder, "empty.tn", b""), 1, "E0604")):
                got, errors = self.refused(file, "--page", folder)
                self.assertEqual((got, text in errors), (code, True), errors)

    def record(self, folder):
        """A program and the record of a run of it."""
        program = write(folder, "keep.tasm", PROGRAM.encode())
        path = os.path.join(folder, "run.terntrace")
        subprocess.run([TERN, "run", program, "-q", "-i", "x=f32[2]:1,2", "--trace", path],
                       check=True, capture_output=True, timeout=60)
        return program, path

    def test_a_record_beside_its_program(self):
        with tempfile.TemporaryDirectory() as folder:
            make_page(folder)
            files = self.record(folder)
            for arguments in (files, files[::-1]):
                server = Server(*arguments, "--page", folder)
                try:
                    query = urllib.parse.parse_qs(urllib.parse.urlsplit(server.answer["url"]).query)
                    self.assertIn(query.pop("listings", None), (None, ["listings"]))
                    self.assertEqual(query, {"src": ["open/keep.tasm"],
                                             "trace": ["record/run.terntrace"]})
                    for file, name in zip(files, ("src", "trace")):
                        with open(file, "rb") as stored:
                            self.assertEqual(server.get("/" + query[name][0]).body, stored.read())
                    self.assertEqual(server.get("/open/run.terntrace").status, 404)
                finally:
                    code, _ = server.stop()
                self.assertEqual(code, 0)

    def listings_of(self, server, text, site="same-origin", method="GET"):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(server.answer["url"]).query)
        [address] = query["listings"]
        asked = "/" + address + "?" + urllib.parse.urlencode({"text": text},
                                                             quote_via=urllib.parse.quote)
        return server.get(asked, method, **({"Sec-Fetch-Site": site} if site else {}))

    def test_listings_of_a_loop_program_and_of_what_is_typed(self):
        with tempfile.TemporaryDirectory() as folder:
            make_page(folder)
            program = write(folder, "double #1.tloop", LOOPS.encode())
            for arguments in ((program,), ()):
                server = Server(*arguments, "--page", folder)
                try:
                    if not has_llvm(program):
                        self.assertNotIn("listings", server.answer["url"])
                        continue
                    for text in (LOOPS, f"// ½ & \"#\"? 100 %\n{LOOPS}"):
                        response = self.listings_of(server, text)
                        self.assertEqual(response.getheader("Content-Type"), "application/json")
                        [listed] = json.loads(response.body)
                        self.assertEqual(listed["text"], text)
                        self.assertEqual(set(listed["listings"]),
                                         {"fixed", "cleanup", "predicated"})
                        self.assertIn("whilelt", listed["listings"]["predicated"])
                    self.assertEqual(self.listings_of(server, LOOPS, method="HEAD").body, b"")
                    self.assertEqual(server.get("/listings/other.json").status, 404)
                finally:
                    server.stop()

    def test_listings_are_made_for_pages_of_this_server_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            make_page(folder)
            program = write(folder, "double.tloop", LOOPS.encode())
            if not has_llvm(program):
                return
            server = Server(program, "--page", folder)
            try:
                for site in ("cross-site", "same-site", "none", "Same-Origin", None):
                    self.assertEqual(self.listings_of(server, LOOPS, site).status, 403, site)
                here = {"Sec-Fetch-Site": "same-origin"}
                for query in ("", "?", "?text", "?other=te", "?text=%", "?text=%4", "?text=%zz",
                              "?a&b"):
                    self.assertEqual(server.get("/listings" + query, **here).status, 400, query)
                long = self.listings_of(server, "x" * 17000)
                self.assertEqual(long.status, 431)
                self.assertEqual(self.listings_of(server, LOOPS).status, 200)
            finally:
                server.stop()

    def test_a_loop_program_that_cannot_be_listed_is_served(self):
        with tempfile.TemporaryDirectory() as folder:
            make_page(folder)
            for text in (b"te", b"te f<n>(A: float32[n", b"\xff\xfe"):
                server = Server(write(folder, "bad.tloop", text), "--page", folder)
                try:
                    query = urllib.parse.parse_qs(urllib.parse.urlsplit(server.answer["url"]).query)
                    self.assertEqual(server.get("/" + query["src"][0]).body, text)
                    if "listings" in query:
                        [listed] = json.loads(self.listings_of(server, text).body)
                        self.assertEqual(listed["listings"], {})
                finally:
                    server.stop()

    def test_records_that_cannot_be_played(self):
        with tempfile.TemporaryDirectory() as folder:
            make_page(folder)
            program, record = self.record(folder)
            with open(record, "rb") as file:
                whole = file.read()
            torn = write(folder, "torn.terntrace", whole[:90])
            newer = write(folder, "newer.terntrace", b"TERNTRC2" + whole[8:])
            rows = [((record,), 2, "is the record of a run, which holds no program"),
                    ((record,), 2, f"tern play {record} PROGRAM"),
                    ((record, record), 2, "are both records of runs"),
                    ((program, program), 2, "are both programs"),
                    ((program, torn), 1, "error[E0305]"), ((newer, program), 1, "error[E0305]"),
                    ((program, "/no/such.terntrace"), 5, "E0101"),
                    ((program, "-"), 2, "standard input"),
                    ((program, record, program), 2, "error[E000")]
            for files, code, text in rows:
                with self.subTest(files):
                    got, errors = self.refused(*files, "--page", folder)
                    self.assertEqual((got, text in errors), (code, True), errors)

    def test_ports(self):
        with tempfile.TemporaryDirectory() as folder:
            make_page(folder)
            server = Server("--page", folder)
            code, errors = self.refused("--page", folder, "--port", str(server.port))
            self.assertEqual(code, 5)
            self.assertIn("another program uses this port", errors)
            self.assertEqual(server.stop()[0], 0)
            again = Server("--page", folder, "--port", str(server.port))
            self.assertEqual((again.port, again.stop()[0]), (server.port, 0))
            self.assertEqual(self.refused("--page", folder, "--port", "70000")[0], 2)


if __name__ == "__main__":
    TERN = os.path.abspath(sys.argv[1])
    run = unittest.main(argv=sys.argv[:1], exit=False, verbosity=0).result
    bad = len(run.failures) + len(run.errors)
    print(f"{run.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)
