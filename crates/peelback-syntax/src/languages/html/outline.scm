(comment) @comment

((script_element (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @source)))) @import
  (#eq? @_name "src") (#not-starts-with? @source "{" "<") (#set! import "include"))
((element (start_tag (tag_name) @_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @source)))) @import
  (#eq? @_tag "link") (#eq? @_name "href") (#not-starts-with? @source "{" "<") (#set! import "include"))

; Elements with an id, and headings.
((element [(start_tag (attribute (attribute_name) @_name [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name])) (self_closing_tag (attribute (attribute_name) @_name [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))]) @definition.section
  (#any-of? @_name "id" "ID") (#set! line ""))
((script_element (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)))) @definition.section
  (#any-of? @_name "id" "ID") (#set! line ""))
((element (start_tag (tag_name) @_tag) . (text) @name) @definition.section
  (#any-of? @_tag "h1" "h2" "h3" "h4" "h5" "h6"))
((element (start_tag (tag_name) @_tag) (text) @name) @definition.section
  (#any-of? @_tag "title"))
