"""InlineState.copy is InlineState.fork everywhere; copies of other things are as they were."""
import ast

from source import attributes, end, expect, import_from, methods

names = methods("InlineState", "src/mistune/core.py")
expect("fork" in names and "copy" not in names, "InlineState has the methods %s" % sorted(names))
expect(len(attributes("fork", "src")) == 6, "fork stands in %s" % attributes("fork", "src"))
left = attributes("copy", "src")
expect(len(left) == 1 and left[0].startswith("src/mistune/core.py"), "copy stands in %s" % left)
import_from("src")
import mistune

md = mistune.create_markdown(plugins=["strikethrough", "mark", "superscript", "spoiler"])
html = md("*a [b](/u)* ~~c~~ ==d== x^2^ >! e !< `f`")
for part in ("<em>a <a", "<del>c</del>", "<mark>d</mark>", "<sup>2</sup>", "spoiler", "<code>f</code>"):
    expect(part in html, "%s is missing in %s" % (part, html))
end()
