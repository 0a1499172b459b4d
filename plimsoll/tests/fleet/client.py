"""A client of NATS that speaks the protocol by itself, so that a server's tests don't rest on the client under test.

client.py HOST PORT CA listen SUBJECT      answers one request with its text in capitals
client.py HOST PORT CA ask SUBJECT TEXT    prints the answer

CA is a file of trusted certificates, or - for no TLS. https://docs.nats.io/reference/reference-protocols/nats-protocol
"""
import json
import socket
import ssl
import sys


def main(host, port, ca, what, subject, text=""):
    raw = socket.create_connection((host, int(port)), timeout=20)
    line = b""
    while not line.endswith(b"\r\n"):
        line += raw.recv(1)
    info = json.loads(line.removeprefix(b"INFO "))
    if ca != "-":
        if not info.get("tls_required"):
            sys.exit("the server does without TLS")
        context = ssl.create_default_context(cafile=ca)
        raw = context.wrap_socket(raw, server_hostname=host)
    stream = raw.makefile("rwb")

    def send(data):
        stream.write(data)
        stream.flush()

    def next_message():
        while True:
            words = stream.readline().split()
            if not words:
                sys.exit("the connection is closed")
            if words[0] == b"PING":
                send(b"PONG\r\n")
            elif words[0] == b"-ERR":
                sys.exit(b" ".join(words).decode())
            elif words[0] == b"PONG":
                return None, None
            elif words[0] == b"MSG":
                body = stream.read(int(words[-1]) + 2)[:-2]
                return (words[3] if len(words) == 5 else None), body

    options = {"verbose": False, "pedantic": False, "name": "test", "lang": "test", "version": "1", "protocol": 1}
    mine = f"_INBOX.{what}" if what == "ask" else subject
    send(b"CONNECT " + json.dumps(options).encode() + b"\r\n" + f"SUB {mine} 1\r\nPING\r\n".encode())
    # The server has read all that came before.
    next_message()
    if what == "listen":
        print("listening", flush=True)
        reply, body = next_message()
        answer = body.upper()
        send(b"PUB " + reply + b" %d\r\n" % len(answer) + answer + b"\r\nPING\r\n")
        next_message()
    else:
        send(f"PUB {subject} {mine} {len(text)}\r\n{text}\r\n".encode())
        print(next_message()[1].decode())


main(*sys.argv[1:])
