"""How to page through all parcels without running into the rate limit.

Waits for the number of seconds in RateLimit-Reset when nothing remains.
"""

import json
import sys
import time
import urllib.request


def pages(base_url, token):
    cursor = None
    while True:
        url = f"{base_url}/v3/parcels?size=100" + (f"&cursor={cursor}" if cursor else "")
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request) as answer:
            page = json.load(answer)
            remaining = int(answer.headers.get("RateLimit-Remaining", "1"))
            reset = int(answer.headers.get("RateLimit-Reset", "0"))
        yield from page["parcels"]
        cursor = page.get("cursor")
        if cursor is None:
            return
        if remaining == 0:
            time.sleep(reset)


if __name__ == "__main__":
    for parcel in pages(sys.argv[1], sys.argv[2]):
        late = " LATE" if parcel["overdue"] else ""
        print(parcel["tracking_no"], parcel["status"] + late)
