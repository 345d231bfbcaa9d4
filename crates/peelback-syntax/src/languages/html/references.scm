((attribute (attribute_name) @_name [(quoted_attribute_value (attribute_value) @reference) (attribute_value) @reference])
  (#any-of? @_name "for" "form" "list" "aria-labelledby" "aria-describedby" "aria-controls" "data-target" "data-bs-target"))
((attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @reference))
  (#any-of? @_name "href" "xlink:href") (#starts-with? @reference "#") (#set! last ""))
