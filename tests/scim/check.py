"""Runs the conformance tests of scim2-tester against a server: address and token as arguments, one line of JSON for each check."""

import json
import sys
import uuid

import httpx2
import scim2_tester.filling as filling
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

ADDRESS, TOKEN, DOMAIN = sys.argv[1:4]

# Addresses must be in a mail domain that the organization has proven; the tester makes them up.
made_up = filling.generate_random_value


def in_domain(context, path, mutability=None, required=None):
    value = made_up(context, path, mutability=mutability, required=required)
    if isinstance(value, str) and value.endswith(".com") and "@" in value:
        return f"{uuid.uuid4()}@{DOMAIN}"
    return value


filling.generate_random_value = in_domain
for module in list(sys.modules.values()):
    if getattr(module, "generate_random_value", None) is made_up:
        module.generate_random_value = in_domain

http = httpx2.Client(base_url=ADDRESS, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30)
for result in check_server(SyncSCIMClient(http)):
    print(
        json.dumps(
            {
                "status": result.status.name,
                "title": result.title,
                "resource": str(result.resource_type or ""),
                "reason": str(result.reason or "")[:600],
            }
        )
    )
