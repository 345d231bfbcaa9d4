[(comment) (block_comment)] @comment
(annotation) @attribute

(import_declaration) @import

(package_clause name: (package_identifier) @qualified body: (_) @body) @definition.namespace
(package_object name: (_) @name body: (_)? @body) @definition.module

(class_definition name: (_) @name body: (_)? @body) @definition.class
(object_definition name: (_) @name body: (_)? @body) @definition.class
(trait_definition name: (_) @name body: (_)? @body) @definition.trait
(enum_definition name: (_) @name body: (_)? @body) @definition.enum
(enum_case_definitions [(simple_enum_case name: (_) @name) (full_enum_case name: (_) @name)]) @definition.enum_member
(type_definition name: (_) @name) @definition.type
(given_definition name: (_) @name body: (_)? @body) @definition.class

((function_definition name: (_) @name body: (_)? @body) @definition.constructor (#eq? @name "this"))
(function_definition name: (_) @name body: (_)? @body) @definition.function
(function_declaration name: (_) @name) @definition.function

; Parameters of a class that are its fields.
(class_parameter ["val" "var"] name: (identifier) @name) @definition.field
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (identifier) @name) @definition.field))

(val_definition pattern: (identifier) @name value: (_)? @value) @definition.variable
(var_definition pattern: (identifier) @name value: (_)? @value) @definition.variable
(val_definition pattern: (tuple_pattern (identifier) @name) value: (_)? @value) @definition.variable
(val_declaration name: (identifier) @name) @definition.variable
(var_declaration name: (identifier) @name) @definition.variable

; Code without a name.
(lambda_expression (block) @body)
(lambda_expression (indented_block) @body)
