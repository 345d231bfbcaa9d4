"""minihttp 0.4.1: a tiny HTTP/1.1 client on top of sockets.

Vendored; please do not edit here.
"""

import http.client
import socket
from urllib.parse import urlsplit

DEFAULT_TIMEOUT = 10.0
MAX_REDIRECTS = 3


class HttpError(Exception):
    """Base of everything this module raises."""


class InvalidURL(HttpError):
    pass


class ConnectionFailed(HttpError):
    """No answer: refused, reset, timed out or the name is unknown."""


class Reply:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


def split_url(url):
    """Scheme, host, port and path of an absolute URL."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidURL("not an absolute http(s) URL: %r" % url)
    if "{" in parts.netloc or "}" in parts.netloc:
        raise InvalidURL("illegal character in host name: %r" % parts.netloc)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    path = parts.path or "/"
    if parts.query:
        path += "?" + parts.query
    return parts.scheme, parts.hostname, port, path


def request(method, url, body=None, headers=None, timeout=DEFAULT_TIMEOUT, _hops=0):
    """Send one request; a timeout or a dropped session is a ConnectionFailed.

    There are no retries here, that is the caller's business.
    """
    scheme, host, port, path = split_url(url)
    kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    connection = kind(host, port, timeout=timeout)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.getheaders(), answer.read())
    except (OSError, socket.timeout, http.client.HTTPException) as exc:
        raise ConnectionFailed("%s %s: %s" % (method, url, exc)) from exc
    finally:
        connection.close()
    if reply.status in (301, 302, 307, 308) and method == "GET" and "location" in reply.headers:
        if _hops >= MAX_REDIRECTS:
            raise HttpError("too many redirects")
        return request(method, reply.headers["location"], headers=headers, timeout=timeout, _hops=_hops + 1)
    return reply
