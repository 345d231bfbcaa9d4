(comment) @comment
(description (string_value) @text) @documentation

(schema_definition "schema" @name) @definition.module
(object_type_definition (name) @name (fields_definition)? @body) @definition.class
(object_type_extension (name) @name (fields_definition)? @body (#set! prefix "extend type ")) @definition.impl
(interface_type_definition (name) @name (fields_definition)? @body) @definition.interface
(interface_type_extension (name) @name (fields_definition)? @body (#set! prefix "extend interface ")) @definition.impl
(input_object_type_definition (name) @name (input_fields_definition)? @body) @definition.struct
(input_object_type_extension (name) @name (input_fields_definition)? @body (#set! prefix "extend input ")) @definition.impl
(enum_type_definition (name) @name (enum_values_definition)? @body) @definition.enum
(enum_type_extension (name) @name (enum_values_definition)? @body (#set! prefix "extend enum ")) @definition.impl
(union_type_definition (name) @name) @definition.union
(union_type_extension (name) @name (#set! prefix "extend union ")) @definition.impl
(scalar_type_definition (name) @name) @definition.type
(directive_definition (name) @name) @definition.macro
(field_definition (name) @name) @definition.field
(input_fields_definition (input_value_definition (name) @name) @definition.field)
(enum_value_definition (enum_value (name) @name)) @definition.enum_member
(operation_definition (name) @name (selection_set) @body) @definition.function
(fragment_definition (fragment_name (name) @name) (selection_set) @body) @definition.function
