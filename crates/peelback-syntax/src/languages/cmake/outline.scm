[(line_comment) (bracket_comment)] @comment

((normal_command (identifier) @_word (argument_list . (argument) @source)) @import
  (#any-of? @_word "include" "INCLUDE") (#set! import "include"))
((normal_command (identifier) @_word (argument_list . (argument) @source)) @import
  (#any-of? @_word "find_package" "FIND_PACKAGE" "find_dependency") (#set! import "namespace"))
((normal_command (identifier) @_word (argument_list . (argument) @source)) @import
  (#any-of? @_word "add_subdirectory" "ADD_SUBDIRECTORY") (#set! import "include"))

(function_def (function_command (argument_list . (argument) @name)) (body)? @body) @definition.function
(macro_def (macro_command (argument_list . (argument) @name)) (body)? @body) @definition.macro

((normal_command (identifier) @_word (argument_list . (argument) @name)) @definition.module
  (#any-of? @_word "project" "PROJECT") (#set! outside ""))
((normal_command (identifier) @_word (argument_list . (argument) @name)) @definition.module
  (#any-of? @_word
    "add_executable" "add_library" "add_custom_target" "ADD_EXECUTABLE" "ADD_LIBRARY" "ADD_CUSTOM_TARGET")
  (#set! outside ""))
((normal_command (identifier) @_word (argument_list . (argument) @name)) @definition.variable
  (#any-of? @_word "set" "SET" "option" "OPTION") (#set! once ""))
