"""Names in backticks are given without them, as names in the other quotes are."""
from source import end, expect, import_from

import_from(".")
import sqlparse
from sqlparse import utils

for quote in "`\"":
    table = sqlparse.parse("SELECT * FROM %smy table%s AS %sx y%s" % (quote * 1, quote, quote, quote))[0].tokens[-1]
    expect(table.get_real_name() == "my table", "the real name is %r" % table.get_real_name())
    expect(table.get_alias() == "x y", "the alias is %r" % table.get_alias())
expect([utils.remove_quotes(one) for one in ("'a'", '"a"', "`a`", "a", "`a'", None)] == ["a", "a", "a", "a", "`a'", None], "remove_quotes")
end()
