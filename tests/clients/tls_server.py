"""TLS hosts of our own on loopback, with certificates made for one test run."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="certificates are made with the openssl command"
)


_CONFIG = """
[ca]
default_ca = here
[here]
dir = {directory}
database = $dir/index.txt
serial = $dir/serial
new_certs_dir = $dir
private_key = $dir/key.pem
default_md = sha256
policy = any
unique_subject = no
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = {name}
"""


def make_certificate(directory: Path, name: str, *, until: str = "20990101000000Z") -> Path:
    """Return a file with a self-signed certificate for a host name or address, and its key."""
    files = {n: directory / n for n in ("key.pem", "request.pem", "certificate.pem", "ca.cnf")}
    kind = "IP" if name[0].isdigit() else "DNS"
    files["ca.cnf"].write_text(_CONFIG.format(directory=directory, name=f"{kind}:{name}"))
    (directory / "index.txt").write_text("")
    (directory / "serial").write_text("01\n")
    _openssl(
        "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", files["key.pem"], "-out", files["request.pem"], "-subj", "/CN=test",
    )  # fmt: skip
    _openssl(
        "ca", "-batch", "-selfsign", "-notext", "-config", files["ca.cnf"],
        "-startdate", "20200101000000Z", "-enddate", until,
        "-in", files["request.pem"], "-out", files["certificate.pem"],
    )  # fmt: skip
    both = directory / "both.pem"
    both.write_text(files["key.pem"].read_text() + files["certificate.pem"].read_text())
    return both


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


@asynccontextmanager
async def serving_tls(
    certificate: Path, *, version: ssl.TLSVersion | None = None
) -> AsyncIterator[int]:
    """Serve empty JSON over TLS; gives the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if version is not None:
        context.set_ciphers("DEFAULT@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
