"""Where carts are kept."""


class Store:
    """Keeps one text."""

    def __init__(self):
        self.text = ""

    def write(self, text: str) -> None:
        self.text = text

    def read(self) -> str:
        return self.text


class Archive(Store):
    """Keeps every text that it was given."""

    def __init__(self):
        super().__init__()
        self.older = []

    def write(self, text: str) -> None:
        self.older.append(self.text)
        super().write(text)


def open_store(store: Store) -> Store:
    return store
