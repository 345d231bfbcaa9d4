(comment) @comment
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments (string (quoted_content) @text)))) @documentation
  (#any-of? @_word "doc" "typedoc" "shortdoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments (sigil (quoted_content) @text)))) @documentation
  (#any-of? @_word "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word)) @attribute
  (#any-of? @_word "doc" "spec" "impl" "deprecated" "dialyzer" "tag" "moduletag" "describetag"))

((call target: (identifier) @_word (arguments . (_) @source)) @import
  (#any-of? @_word "import" "alias" "use" "require"))

((call target: (identifier) @_word (arguments . (alias) @qualified)
  (do_block (unary_operator operator: "@" operand: (call target: (identifier) @_doc (arguments (string (quoted_content) @documentation))))) @body) @definition.module
  (#eq? @_word "defmodule") (#eq? @_doc "moduledoc"))
((call target: (identifier) @_word (arguments . (alias) @qualified) (do_block) @body) @definition.module
  (#eq? @_word "defmodule"))
((call target: (identifier) @_word (arguments . (alias) @qualified) (do_block) @body) @definition.interface
  (#eq? @_word "defprotocol"))
((call target: (identifier) @_word (arguments . (alias) @name) (do_block)? @body) @definition.impl
  (#eq? @_word "defimpl") (#set! prefix "defimpl "))

; Functions and macros, with and without a guard. Consecutive clauses are one definition.
((call target: (identifier) @_word
  (arguments . (call target: (identifier) @name (arguments) @parameters)) (do_block)? @body) @definition.function
  (#any-of? @_word "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp") (#set! joins ""))
((call target: (identifier) @_word
  (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @parameters) operator: "when")) (do_block)? @body) @definition.function
  (#any-of? @_word "def" "defp" "defguard" "defguardp" "defn" "defnp") (#set! joins ""))
((call target: (identifier) @_word
  (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @parameters) operator: "\\\\")) (do_block)? @body) @definition.function
  (#any-of? @_word "def" "defp") (#set! joins ""))
((call target: (identifier) @_word (arguments . (identifier) @name) (do_block)? @body) @definition.function
  (#any-of? @_word "def" "defp" "defdelegate") (#set! joins ""))
((call target: (identifier) @_word (arguments . (binary_operator operator: _ @name)) (do_block)? @body) @definition.function
  (#any-of? @_word "def" "defp") (#not-any-of? @name "when" "\\\\") (#set! joins ""))
((call target: (identifier) @_word
  (arguments . (binary_operator left: (binary_operator operator: _ @name) operator: "when")) (do_block)? @body) @definition.function
  (#any-of? @_word "def" "defp") (#set! joins ""))
((call target: (identifier) @_word
  (arguments . (call target: (identifier) @name (arguments) @parameters)) (do_block)? @body) @definition.macro
  (#any-of? @_word "defmacro" "defmacrop") (#set! joins ""))
((call target: (identifier) @_word
  (arguments . (binary_operator left: (call target: (identifier) @name (arguments) @parameters) operator: "when")) (do_block)? @body) @definition.macro
  (#any-of? @_word "defmacro" "defmacrop") (#set! joins ""))
((call target: (identifier) @_word (arguments . (identifier) @name) (do_block)? @body) @definition.macro
  (#any-of? @_word "defmacro" "defmacrop") (#set! joins ""))

((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))) @definition.type
  (#any-of? @_word "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_word (arguments . (binary_operator left: (call target: (identifier) @name))))) @definition.method
  (#any-of? @_word "callback" "macrocallback"))
((call target: (identifier) @name) @definition.struct (#any-of? @name "defstruct" "defexception"))
((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments . (_) @value))) @definition.constant
  (#not-any-of? @name
    "doc" "moduledoc" "typedoc" "shortdoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "impl" "behaviour"
    "deprecated" "dialyzer" "tag" "moduletag" "describetag" "derive" "before_compile" "after_compile" "on_load"
    "external_resource" "enforce_keys" "optional_callbacks" "compile" "on_definition" "since")
  (#set! once ""))

; Tests.
((call target: (identifier) @_word (arguments . (string) @name) (do_block) @body) @definition.function
  (#eq? @_word "test") (#set! prefix "test "))
((call target: (identifier) @_word (arguments . (string) @name) (do_block)) @definition.section
  (#eq? @_word "describe") (#set! prefix "describe ") (#set! line ""))
