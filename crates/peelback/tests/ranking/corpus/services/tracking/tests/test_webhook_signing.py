"""Webhook signatures: sign, verify, timestamp tolerance and rotation."""

import pytest

from harbor_tracking.webhooks.signing import (
    BadSignature,
    rotate_secret,
    sign_payload,
    verify_signature,
)

BODY = '{"event":"parcel.delivered","data":{"city":"Bristol"}}'


def test_signature_of_webhook_body_verifies():
    header = sign_payload("secret", "1700000000", BODY)
    verify_signature("secret", "1700000000", BODY.encode(), header, now=1700000010)


def test_wrong_secret_is_a_signature_mismatch():
    header = sign_payload("other", "1700000000", BODY)
    with pytest.raises(BadSignature, match="signature mismatch"):
        verify_signature("secret", "1700000000", BODY.encode(), header, now=1700000000)


def test_non_ascii_receiver_name_verifies():
    body = '{"receiver":"Wójcik"}'
    header = sign_payload("secret", "1700000000", body)
    verify_signature("secret", "1700000000", body.encode("utf-8"), header, now=1700000000)


def test_old_timestamp_is_refused():
    header = sign_payload("secret", "1700000000", BODY)
    with pytest.raises(BadSignature, match="400s off"):
        verify_signature("secret", "1700000000", BODY.encode(), header, now=1700000400)


def test_rotation_sends_both_signatures():
    header = rotate_secret("old", "new", "1700000000", BODY)
    assert header.count("v1=") == 2
