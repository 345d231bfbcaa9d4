(comment) @comment

((call function: (identifier) @_word arguments: (arguments . argument: (argument value: [(identifier) (string)] @source))) @import
  (#any-of? @_word "library" "require" "requireNamespace" "loadNamespace") (#set! import "namespace"))
((call function: (identifier) @_word arguments: (arguments . argument: (argument value: (string) @source))) @import
  (#any-of? @_word "source") (#set! import "include"))

(binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "=" "<<-" ":="] rhs: (function_definition body: (_) @body)) @definition.function
(binary_operator lhs: (function_definition body: (_) @body) operator: ["->" "->>"] rhs: [(identifier) (string)] @name) @definition.function
(argument name: [(identifier) (string)] @name value: (function_definition body: (braced_expression) @body)) @definition.method

((binary_operator lhs: (identifier) @name operator: ["<-" "="] rhs: (call function: [(identifier) @_word (namespace_operator rhs: (identifier) @_word)])) @definition.class
  (#any-of? @_word "R6Class" "setRefClass" "new_class" "ggproto") (#set! line ""))
((call function: (identifier) @_word arguments: (arguments . argument: (argument value: (string) @name))) @definition.class
  (#any-of? @_word "setClass" "setClassUnion") (#set! line ""))
((call function: (identifier) @_word arguments: (arguments . argument: (argument value: (string) @name))) @definition.function
  (#eq? @_word "setGeneric"))
((call function: (identifier) @_word arguments: (arguments . argument: (argument value: (string) @name) . (comma) . argument: (argument value: (_) @container))) @definition.method
  (#any-of? @_word "setMethod" "setReplaceMethod") (#set! line ""))

((program (binary_operator lhs: [(identifier) (string)] @name operator: ["<-" "=" "<<-"] rhs: (_) @value) @definition.variable)
  (#set! once ""))
((program (binary_operator lhs: (_) @value operator: ["->" "->>"] rhs: [(identifier) (string)] @name) @definition.variable)
  (#set! once ""))
