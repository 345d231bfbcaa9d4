"""Command line of the tracking service: `harbor-tracking <command>`."""

from __future__ import annotations

import argparse
import sys

from .config import ConfigError, load_settings
from .importers.csv_manifest import ManifestError, ManifestReader
from .labels.pdf import render_labels
from .net.client import CarrierClient
from .net.retry import GaveUp, RetryPolicy
from .storage.repository import ParcelRepository
from .timeparse import parse_carrier_timestamp


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="harbor-tracking")
    parser.add_argument("--settings", default="settings.toml")
    commands = parser.add_subparsers(dest="command", required=True)

    load = commands.add_parser("import", help="load a manifest of a shipper")
    load.add_argument("manifest")
    load.add_argument("--dry-run", action="store_true")

    labels = commands.add_parser("labels", help="print the labels of all announced parcels")
    labels.add_argument("--sticker", default="a6")
    labels.add_argument("--out", default="labels.pdf")

    sync = commands.add_parser("sync", help="fetch the scans of one parcel from its carrier")
    sync.add_argument("carrier")
    sync.add_argument("tracking_no")
    return parser


def run_import(args, settings) -> int:
    parcels = list(ManifestReader(args.manifest).parcels())
    print(f"{len(parcels)} parcels in {args.manifest}")
    if not args.dry_run:
        repository = ParcelRepository(settings.database["path"])
        repository.save_all(parcels)
    return 0


def run_labels(args, settings) -> int:
    repository = ParcelRepository(settings.database["path"])
    announced, _ = repository.list_page(status="announced", size=500)
    with open(args.out, "wb") as out:
        out.write(render_labels(announced, args.sticker))
    print(f"wrote {len(announced)} labels to {args.out}")
    return 0


def run_sync(args, settings) -> int:
    carrier = settings.carriers[args.carrier]
    client = CarrierClient(args.carrier, carrier["endpoints"], RetryPolicy(**settings.retry))
    for event in client.track(args.tracking_no):
        moment = parse_carrier_timestamp(event["time"], args.carrier)
        print(moment.isoformat(), event["status"], event.get("place", "-"))
    return 0


def main(argv=None) -> int:
    args = build_parser().parse_args(argv)
    handlers = {"import": run_import, "labels": run_labels, "sync": run_sync}
    try:
        return handlers[args.command](args, load_settings(args.settings))
    except (ConfigError, ManifestError, GaveUp) as exc:
        print(f"harbor-tracking: {exc}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
