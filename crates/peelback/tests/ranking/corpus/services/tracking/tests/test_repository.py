"""Parcels in the database: saving, paging through lists with a cursor."""

from harbor_tracking.models import Address, Dimensions, Parcel
from harbor_tracking.storage.repository import ParcelRepository


def make(number):
    home = Address("Ann Lee", "1 Quay Road", "BS1 6XN", "Bristol")
    return Parcel(number, home, home, Dimensions(1, 1, 1, 1))


def ticking(start=1000):
    state = {"now": start}

    def clock():
        state["now"] += 1
        return state["now"]

    return clock


def test_pages_cover_all_parcels_in_order():
    repository = ParcelRepository(":memory:", clock=ticking())
    for index in range(7):
        repository.save(make(f"HB{index}"))
    seen, cursor = [], None
    while True:
        page, cursor = repository.list_page(size=3, cursor=cursor)
        seen += [parcel.tracking_no for parcel in page]
        if cursor is None:
            break
    assert seen == [f"HB{index}" for index in range(7)]


def test_last_page_has_no_cursor():
    repository = ParcelRepository(":memory:", clock=ticking())
    repository.save(make("HB1"))
    assert repository.list_page(size=1)[1] is None


def test_tracking_number_is_found_in_lower_case():
    repository = ParcelRepository(":memory:")
    repository.save(make("HB1"))
    assert repository.get("hb1").tracking_no == "HB1"
