(comment) @comment

((call method: (identifier) @_word arguments: (argument_list . (string) @source)) @import
  (#any-of? @_word "require" "require_relative" "load" "autoload") (#set! import "require"))

; `private def …`
(call method: (identifier) arguments: (argument_list . [(method) (singleton_method)] @inner)) @outer

(module name: (_) @qualified body: (_)? @body) @definition.module
(class name: (_) @qualified body: (_)? @body) @definition.class
((assignment
  left: (constant) @name
  right: (call receiver: (constant) @_maker method: (identifier) @_new block: (_) @body)) @definition.class
  (#any-of? @_maker "Struct" "Class" "Module" "Data") (#any-of? @_new "new" "define"))
(singleton_class) @scope

((method name: (_) @name body: (_)? @body) @definition.constructor (#eq? @name "initialize"))
(method name: (_) @name body: (_)? @body) @definition.function
(singleton_method object: (self) name: (_) @name body: (_)? @body) @definition.function
(singleton_method object: (constant) @container name: (_) @name body: (_)? @body) @definition.function
(alias name: (_) @name) @definition.function
((call
  method: (identifier) @_word
  arguments: (argument_list . [(simple_symbol) (string)] @name)) @definition.function
  (#any-of? @_word "alias_method" "define_method" "delegate_missing_to")
  (#set! outside ""))
((call
  method: (identifier) @_word
  arguments: (argument_list [(simple_symbol) (string)] @name)) @definition.property
  (#any-of? @_word "attr_reader" "attr_writer" "attr_accessor" "attr" "cattr_accessor" "mattr_accessor"))

((assignment left: (constant) @name right: (_) @value) @definition.constant (#set! once ""))
(body_statement
  (assignment left: (class_variable) @name right: (_) @value) @definition.field (#set! once ""))
(program (assignment left: (global_variable) @name right: (_) @value) @definition.variable (#set! once ""))

((body_statement (identifier) @access) (#any-of? @access "private" "protected" "public"))

; Code without a name.
((call method: (identifier) @_word block: (do_block body: (_) @body))
  (#any-of? @_word
    "it" "specify" "example" "scenario" "test" "should" "before" "after" "around" "let" "let!" "subject" "setup"
    "teardown" "task" "define_method" "lambda" "proc"))
(lambda body: (do_block body: (_) @body))
