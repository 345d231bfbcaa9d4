"""Reading CSV manifests: columns, delimiters, encodings, duplicates."""

from decimal import Decimal

import pytest

from harbor_tracking.importers.csv_manifest import ManifestError, ManifestReader

HEADER = "tracking_no,recipient,street,postcode,city,country,length_cm,width_cm,height_cm,weight_kg\n"
ROW = "HB1,Ann Lee,1 Quay Road,BS1 6XN,Bristol,gb,10,20,30,1.5\n"


def write(tmp_path, text):
    path = tmp_path / "manifest.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_manifest_with_commas(tmp_path):
    [parcel] = ManifestReader(write(tmp_path, HEADER + ROW)).parcels()
    assert parcel.tracking_no == "HB1"
    assert parcel.receiver.country == "GB"
    assert parcel.dimensions.weight_kg == Decimal("1.5")


def test_manifest_with_semicolons_and_decimal_commas(tmp_path):
    text = (HEADER + ROW.replace("1.5", "1;5")).replace(",", ";").replace("1;5\n", "1,5\n")
    [parcel] = ManifestReader(write(tmp_path, text)).parcels()
    assert parcel.dimensions.weight_kg == Decimal("1.5")


def test_missing_column_is_named(tmp_path):
    with pytest.raises(ManifestError, match="line 1: missing column postcode"):
        list(ManifestReader(write(tmp_path, HEADER.replace("postcode,", ""))).parcels())


def test_duplicate_tracking_number(tmp_path):
    with pytest.raises(ManifestError, match="line 3: HB1 was already announced in line 2"):
        list(ManifestReader(write(tmp_path, HEADER + ROW + ROW)).parcels())
