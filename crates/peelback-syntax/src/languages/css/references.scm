((plain_value) @reference (#starts-with? @reference "--"))
((declaration (property_name) @_property (plain_value) @reference)
  (#any-of? @_property "animation" "animation-name" "-webkit-animation" "-webkit-animation-name"))
