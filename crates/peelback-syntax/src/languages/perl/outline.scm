[(comment) (pod)] @comment

((use_statement module: (package) @_word [(string_literal) (interpolated_string_literal)] @source) @import
  (#any-of? @_word "parent" "base") (#set! import "namespace"))
((use_statement module: (package) @source) @import (#not-any-of? @source "constant" "parent" "base" "strict" "warnings" "utf8" "vars" "lib" "feature") (#set! import "namespace"))
((require_expression [(bareword) (string_literal) (interpolated_string_literal)] @source) @import (#set! import "require"))

((package_statement name: (package) @qualified (block) @body) @definition.module (#set! extends "stop"))
((package_statement name: (package) @qualified) @definition.module (#set! extends ""))
((class_statement name: (package) @qualified (block) @body) @definition.class (#set! extends "stop"))
((class_statement name: (package) @qualified) @definition.class (#set! extends ""))
((role_statement name: (package) @qualified) @definition.trait (#set! extends "stop"))
(subroutine_declaration_statement name: (bareword) @qualified body: (_)? @body) @definition.function
(method_declaration_statement name: (bareword) @qualified body: (_)? @body) @definition.method

((use_statement module: (package) @_word (list_expression . (autoquoted_bareword) @name)) @definition.constant (#eq? @_word "constant"))
((use_statement module: (package) @_word (anonymous_hash_expression (list_expression (autoquoted_bareword) @name @definition.constant)))
  (#eq? @_word "constant"))
((expression_statement (ambiguous_function_call_expression function: (function) @_word arguments: (list_expression . [(autoquoted_bareword) (string_literal)] @name)) @definition.property)
  (#eq? @_word "has"))
((source_file (expression_statement (assignment_expression left: (variable_declaration variable: (_ (varname) @name)) right: (_) @value) @definition.variable)) (#set! once ""))
((source_file (expression_statement (assignment_expression left: (variable_declaration variables: (_ (varname) @name))) @definition.variable)) (#set! once ""))
((source_file (expression_statement (variable_declaration variable: (_ (varname) @name)) @definition.variable)) (#set! once ""))

; Code without a name.
(anonymous_subroutine_expression body: (_) @body)
