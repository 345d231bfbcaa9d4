(comment) @comment
[(spec) (deprecated_attribute)] @attribute

((import_attribute module: (_) @source) @import (#set! import "namespace"))
((pp_include file: (_) @source) @import (#set! import "include"))
((pp_include_lib file: (_) @source) @import (#set! import "include"))

(module_attribute name: (_) @name) @definition.module
(record_decl name: (_) @name) @definition.struct
(record_decl fields: (record_field name: (_) @name) @definition.field)
(type_alias name: (type_name name: (_) @name)) @definition.type
(opaque name: (type_name name: (_) @name)) @definition.type
(nominal name: (type_name name: (_) @name)) @definition.type
(callback fun: (_) @name) @definition.method
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.macro

((fun_decl clause: (function_clause name: (_) @name args: (expr_args) @parameters body: (_) @body)) @definition.function
  (#set! joins ""))

; Code without a name.
(fun_clause body: (_) @body)
