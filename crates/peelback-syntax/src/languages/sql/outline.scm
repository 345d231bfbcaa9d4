[(comment) (marginalia)] @comment

(statement (create_schema (identifier) @name)) @definition.namespace
(statement (create_database (identifier) @name)) @definition.namespace
(statement (create_table [(keyword_table) (keyword_exists)] . (object_reference schema: (identifier)? @container name: (identifier) @name) [(column_definitions) (create_query)]? @end)) @definition.struct
(create_table (column_definitions (column_definition name: (_) @name) @definition.field))
(statement (create_view [(keyword_view) (keyword_exists)] . (object_reference schema: (identifier)? @container name: (identifier) @name) . (keyword_as)? @end)) @definition.struct
(statement (create_materialized_view [(keyword_view) (keyword_exists)] . (object_reference schema: (identifier)? @container name: (identifier) @name) . (keyword_as)? @end)) @definition.struct
(statement (create_function (keyword_function) . (object_reference schema: (identifier)? @container name: (identifier) @name) (function_body)? @body)) @definition.function
(statement (create_trigger (keyword_trigger) . (object_reference name: (identifier) @name))) @definition.function
(statement (create_type (keyword_type) . (object_reference schema: (identifier)? @container name: (identifier) @name) (enum_elements)? @end)) @definition.enum
(create_type (enum_elements enum_element: (literal) @name @definition.enum_member))
(statement (create_index column: (identifier) @name)) @definition.property
(statement (create_sequence [(keyword_sequence) (keyword_exists)] . (object_reference schema: (identifier)? @container name: (identifier) @name))) @definition.variable
(statement (create_role (identifier) @name)) @definition.variable
(statement (create_extension (identifier) @name)) @definition.module
(cte . (identifier) @name) @definition.variable
