(comment) @comment

((command name: (command_name) @_word . argument: (_) @source) @import
  (#any-of? @_word "source" ".") (#set! import "include"))

(function_definition name: (word) @name body: (_) @body) @definition.function

((program (declaration_command "readonly" (variable_assignment name: (variable_name) @name value: (_)? @value))
  @definition.constant) (#set! once ""))
((program (declaration_command (variable_assignment name: (variable_name) @name value: (_)? @value))
  @definition.variable) (#set! once ""))
((program (variable_assignment name: (variable_name) @name value: (_)? @value) @definition.variable) (#set! once ""))
