"""Statements after a CREATE are split as if they stood alone."""
from source import end, expect, import_from

import_from(".")
import sqlparse

script = "CREATE TABLE t (a int); BEGIN; INSERT INTO t VALUES (1); COMMIT;"
expect(sqlparse.split(script) == ["CREATE TABLE t (a int);", "BEGIN;", "INSERT INTO t VALUES (1);", "COMMIT;"], "split gives %s" % sqlparse.split(script))
function = "CREATE FUNCTION f() BEGIN SELECT 1; SELECT 2; END;"
expect(sqlparse.split(function + " SELECT 3;") == [function, "SELECT 3;"], "a function's body is split: %s" % sqlparse.split(function + " SELECT 3;"))
end()
