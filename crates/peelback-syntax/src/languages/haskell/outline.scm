[(comment) (haddock)] @comment
(pragma) @attribute

((import "import" "qualified" module: (module) @source) @import (#set! import "namespace"))
((import module: (module) @source !names) @import (#set! import "glob"))
((import module: (module) @source) @import (#set! import "namespace"))

(header module: (module) @name) @definition.module

; A type with a single constructor that is a record, and all others.
(data_type name: (_) @name constructors: (data_constructors . (data_constructor constructor: (record)) .) @end) @definition.struct
(data_type name: (_) @name constructors: (_)? @end) @definition.enum
(data_constructor constructor: [(prefix name: (_) @name) (record name: (_) @name) (infix operator: (_) @name)]) @definition.enum_member
(gadt_constructor name: (constructor) @name) @definition.enum_member
(gadt_constructor names: (binding_list name: (constructor) @name)) @definition.enum_member
(newtype name: (_) @name) @definition.struct
(newtype_constructor name: (_) @name) @definition.enum_member
(field name: (field_name (_) @name)) @definition.field
(type_synonym name: (name) @name) @definition.type
(type_synonym name: (prefix_id (_) @name)) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(kind_signature name: (_) @name) @definition.type
(class name: (_) @name (class_declarations)? @body) @definition.class
(instance name: (_) @name "where"? @end (instance_declarations)? @body (#set! prefix "instance ")) @definition.impl
(deriving_instance name: (_) @name (#set! prefix "deriving instance ")) @definition.impl
(pattern_synonym [(signature synonym: (_) @name) (equation synonym: (_) @name)] (#set! joins "")) @definition.function

; A type signature and the clauses below it are one definition.
((signature name: [(variable) (prefix_id)] @name type: (function)) @definition.function (#set! joins ""))
((signature name: [(variable) (prefix_id)] @name type: (context type: (function))) @definition.function (#set! joins ""))
((signature name: [(variable) (prefix_id)] @name type: (forall type: (_))) @definition.function (#set! joins ""))
((signature name: [(variable) (prefix_id)] @name) @definition.variable (#set! joins ""))
; A signature of several names is no definition where the clauses of each follow it.
(class_declarations (signature names: (binding_list name: (_) @name)) @definition.function)
((function name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function (#set! joins "") (#set! rest ""))
((function (infix operator: (operator) @name) match: (_) @body) @definition.function (#set! joins "") (#set! rest ""))
((function (infix operator: (infix_id (_) @name)) match: (_) @body) @definition.function (#set! joins "") (#set! rest ""))
((bind name: [(variable) (prefix_id)] @name match: (_) @body) @definition.variable (#set! joins "") (#set! rest ""))
(foreign_import signature: (signature name: (_) @name)) @definition.function
