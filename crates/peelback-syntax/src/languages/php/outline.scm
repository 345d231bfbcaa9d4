(comment) @comment
(attribute_group) @attribute

(namespace_use_declaration) @import
((expression_statement
  [
    (require_expression (_) @source)
    (require_once_expression (_) @source)
    (include_expression (_) @source)
    (include_once_expression (_) @source)
  ]) @import (#set! import "include"))

(namespace_definition name: (_) @qualified body: (_)? @body) @definition.namespace

(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.enum_member

((method_declaration name: (name) @name body: (_)? @body) @definition.constructor (#eq? @name "__construct"))
(method_declaration name: (name) @name body: (_)? @body) @definition.method
(function_definition name: (name) @name body: (_) @body) @definition.function

(const_declaration (const_element . (name) @name (_)? @value)) @definition.constant
((expression_statement
  (function_call_expression
    function: (name) @_define arguments: (arguments . (argument (string (string_content) @name))))) @definition.constant
  (#eq? @_define "define"))
((expression_statement
  (function_call_expression
    function: (qualified_name (name) @_define)
    arguments: (arguments . (argument (string (string_content) @name))))) @definition.constant
  (#eq? @_define "define"))
(property_declaration
  (property_element name: (variable_name (name) @name) default_value: (_)? @value)) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property

; Code without a name.
(anonymous_function body: (_) @body)
