"""There is no link within a link, however deep the inner one stands; links after it are links."""
from source import end, expect, import_from

import_from("src")
import mistune

md = mistune.create_markdown()
for text in ("[*see [here](/u)*](/v)", "[**see [here](/u)**](/v)", "[see <https://a.b> *<https://c.d>*](/v)"):
    html = md(text)
    depth = most = 0
    for part in html.split("<")[1:]:
        depth += part.startswith("a ") - part.startswith("/a>")
        most = max(most, depth)
    expect(most <= 1 and html.count("<a ") >= 1, "%s gives %s" % (text, html))
expect(md("*[a](/u)* [b](/v)").count("<a ") == 2, "two links one after the other")
expect(md("![a [b](/u) ![c](/w)](/v)").count("<img") == 1, "an image within an image")
end()
