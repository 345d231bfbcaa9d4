"""unikey has a parameter `fold` that only a keyword gives, without a default; all callers pass True."""
import ast

from source import calls, end, expect, import_from, trees

found = [node for path, tree in trees("src") for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "unikey"]
expect(len(found) == 1 and [one.arg for one in found[0].args.kwonlyargs] == ["fold"] and found[0].args.kw_defaults == [None]
       and [one.arg for one in found[0].args.args] == ["s"], "unikey does not take (s, *, fold)")
for place, call in calls("unikey", "src"):
    given = {one.arg: getattr(one.value, "value", None) for one in call.keywords}
    expect(given == {"fold": True} and len(call.args) == 1, "%s passes %s" % (place, given))
expect(len(calls("unikey", "src")) == 5, "there are not five calls")
import_from("src")
import mistune
from mistune.util import unikey

expect(unikey(" a  B ", fold=True) == "A B" and unikey(" a  B ", fold=False) == "a B", "fold has no effect")
md = mistune.create_markdown(plugins=["footnotes", "ruby"])
html = md("[Foo  Bar] x[^N] [漢字(kanji)][k]\n\n[foo bar]: /u\n[K]: /k\n\n[^n]: note\n")
expect('href="/u"' in html and "note" in html and 'href="/k"' in html, "keys of different case do not meet: %s" % html)
end()
