"""TokenList.get_sublists is TokenList.iter_groups everywhere, and formatting works."""
from source import attributes, end, expect, import_from, methods

names = methods("TokenList", "sqlparse/sql.py")
expect("iter_groups" in names and "get_sublists" not in names, "TokenList has the methods %s" % sorted(names))
expect(not attributes("get_sublists", "sqlparse", "tests"), "get_sublists is left in %s" % attributes("get_sublists", "sqlparse", "tests"))
expect(len(attributes("iter_groups", "sqlparse")) == 6, "iter_groups stands in %s" % attributes("iter_groups", "sqlparse"))
import_from(".")
import sqlparse

sql = "select a,b from (select 1 -- x\n) t where a=1 and b in (2,3)"
expect(sqlparse.format(sql, reindent=True, strip_comments=True, use_space_around_operators=True, keyword_case="upper")
       == "SELECT a,\n       b\nFROM\n  (SELECT 1) t\nWHERE a = 1\n  AND b IN (2,\n            3)", "format with reindent")
expect(sqlparse.format("select a from t where a=1", reindent_aligned=True) == "select a\n  from t\n where a=1", "format with reindent_aligned")
end()
