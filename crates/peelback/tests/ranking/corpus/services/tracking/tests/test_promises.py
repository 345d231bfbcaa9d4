"""Is a parcel late? Promised days, weekends, cut-off and grace."""

from datetime import date, datetime, timezone

from harbor_tracking.models import Address, Dimensions, Parcel, ParcelStatus, ServiceLevel
from harbor_tracking.promises import add_working_days, has_missed_promise, promised_moment


def parcel(**kwargs):
    home = Address("Ann Lee", "1 Quay Road", "BS1 6XN", "Bristol")
    accepted = datetime(2023, 6, 1, 9, 0, tzinfo=timezone.utc)
    return Parcel("HB1", home, home, Dimensions(1, 1, 1, 1), accepted_at=accepted, **kwargs)


def test_working_days_skip_the_weekend():
    assert add_working_days(date(2023, 6, 2), 1) == date(2023, 6, 5)


def test_holidays_of_the_country_are_skipped():
    assert add_working_days(date(2023, 5, 26), 1, {date(2023, 5, 29)}) == date(2023, 5, 30)


def test_parcel_is_late_when_the_promised_day_is_over():
    late = datetime(2023, 6, 6, 9, 0, tzinfo=timezone.utc)
    assert has_missed_promise(parcel(), now=late)


def test_parcel_within_grace_is_not_late():
    just = datetime(2023, 6, 5, 21, 0, tzinfo=timezone.utc)
    assert not has_missed_promise(parcel(), now=just)


def test_express_has_no_grace():
    express = parcel(service=ServiceLevel.EXPRESS)
    assert has_missed_promise(express, now=datetime(2023, 6, 2, 19, 30, tzinfo=timezone.utc))


def test_cancelled_parcel_is_never_late():
    gone = parcel(status=ParcelStatus.CANCELLED)
    assert not has_missed_promise(gone, now=datetime(2024, 1, 1, tzinfo=timezone.utc))


def test_not_accepted_yet_means_no_promise():
    waiting = parcel()
    waiting.accepted_at = None
    assert promised_moment(waiting) is None
