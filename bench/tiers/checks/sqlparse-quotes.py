"""remove_quotes has a second parameter `quotes` without a default; all callers pass the quotes that were removed before."""
import ast

from source import calls, end, expect, import_from, trees

found = [node for path, tree in trees("sqlparse") for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "remove_quotes"]
expect(len(found) == 1 and [one.arg for one in found[0].args.args] == ["val", "quotes"] and not found[0].args.defaults,
       "remove_quotes does not take (val, quotes)")
for place, call in calls("remove_quotes", "sqlparse", "tests"):
    expect(len(call.args) + len(call.keywords) == 2, "%s does not pass the quotes" % place)
expect(len(calls("remove_quotes", "sqlparse")) == 2, "there are not two calls in the package")
import_from(".")
import sqlparse
from sqlparse import utils

expect([utils.remove_quotes(one, ("<", "'")) for one in ("'a'", '"a"', "<a<", None)] == ["a", '"a"', "a", None], "the parameter has no effect")
for quote in "`\"'":
    name = sqlparse.parse("select x as %sa b%s" % (quote, quote))[0].tokens[-1].get_alias()
    expect(name == ("a b" if quote != "'" else name), "an alias in %s is %r" % (quote, name))
expect(sqlparse.parse('select "a b"."c"')[0].tokens[-1].get_parent_name() == "a b", "get_parent_name")
expect(sqlparse.parse("select `a b`.`c`")[0].tokens[-1].get_parent_name() == "a b", "get_parent_name with backticks")
end()
