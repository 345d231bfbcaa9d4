[(line_comment) (block_comment) (xml_doc)] @comment
(attributes) @attribute

((import_decl (long_identifier) @source) @import (#set! import "glob"))

((namespace name: (_) @name) @definition.namespace (#set! line ""))
((named_module name: (_) @qualified) @definition.module (#set! line ""))
((module_defn (identifier) @name) @definition.module (#set! line ""))
(module_abbrev . (identifier) @name) @definition.module

((record_type_defn (type_name type_name: (_) @name) block: (record_fields) @end) @definition.struct (#set! keyword ""))
((union_type_defn (type_name type_name: (_) @name) block: (union_type_cases) @end) @definition.enum (#set! keyword ""))
((enum_type_defn (type_name type_name: (_) @name) block: (enum_type_cases) @end) @definition.enum (#set! keyword ""))
((anon_type_defn (type_name type_name: (_) @name)) @definition.class (#set! keyword "") (#set! line ""))
((interface_type_defn (type_name type_name: (_) @name)) @definition.interface (#set! keyword "") (#set! line ""))
((delegate_type_defn (type_name type_name: (_) @name)) @definition.type (#set! keyword ""))
((type_abbrev_defn (type_name type_name: (_) @name)) @definition.type (#set! keyword ""))
((type_declaration (type_name type_name: (_) @name)) @definition.type (#set! keyword ""))
((type_extension (type_name type_name: (_) @name)) @definition.impl (#set! prefix "type ") (#set! keyword "") (#set! line ""))
(exception_definition exception_name: (_) @name) @definition.struct
(record_field . (identifier) @name) @definition.field
(union_type_case (identifier) @name) @definition.enum_member
(enum_type_case . (identifier) @name) @definition.enum_member
(interface_implementation (simple_type) @name (#set! prefix "interface ") (#set! line "")) @definition.impl

(member_defn (method_or_prop_defn name: (property_or_ident method: (_) @name) args: (_))) @definition.method
(member_defn (method_or_prop_defn name: (property_or_ident . (identifier) @name .) args: (_))) @definition.method
(member_defn (method_or_prop_defn name: (property_or_ident method: (_) @name))) @definition.property
(member_defn (method_or_prop_defn name: (property_or_ident . [(identifier) (op_identifier)] @name .))) @definition.property
(member_defn (property_or_ident . (identifier) @name .)) @definition.property
(member_defn (member_signature (identifier) @name (curried_spec (arguments_spec)))) @definition.method
(member_defn (member_signature (identifier) @name)) @definition.property
(member_defn (additional_constr_defn "new" @name)) @definition.constructor

((function_or_value_defn (function_declaration_left [(identifier) (op_identifier)] @name) @definition.function . "=" . body: (_) @body)
  (#set! keyword "") (#set! span ""))
((function_or_value_defn (function_declaration_left [(identifier) (op_identifier)] @name) @definition.function body: (_) @body)
  (#set! keyword "") (#set! span ""))
((function_or_value_defn (function_declaration_left (active_pattern) @name) @definition.function body: (_) @body)
  (#set! keyword "") (#set! span ""))
((function_or_value_defn (value_declaration_left (identifier_pattern (long_identifier_or_op [(identifier) (op_identifier)] @name))) @definition.function body: (fun_expression) @body)
  (#set! keyword "") (#set! span ""))
((function_or_value_defn (value_declaration_left (identifier_pattern (long_identifier_or_op [(identifier) (op_identifier)] @name))) @definition.variable body: (_) @value)
  (#set! keyword "") (#set! span ""))

; Code without a name.
(fun_expression (_) @body .)
