(comment) @comment

((list_lit . value: (kwd_lit name: (kwd_name) @_word) value: (vec_lit . value: (sym_lit name: (sym_name) @source)) @import)
  (#any-of? @_word "require" "require-macros" "use") (#set! import "namespace"))
((list_lit . value: (kwd_lit name: (kwd_name) @_word) value: (sym_lit name: (sym_name) @source) @import)
  (#any-of? @_word "require" "use") (#set! import "namespace"))
((list_lit . value: (kwd_lit name: (kwd_name) @_word) value: (list_lit . value: (sym_lit name: (sym_name) @source)) @import)
  (#any-of? @_word "import") (#set! import "namespace"))

((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (str_lit) @documentation) @definition.module
  (#eq? @_word "ns") (#set! extends ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name)) @definition.module
  (#any-of? @_word "ns" "in-ns") (#set! extends ""))

((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (str_lit) @documentation . value: (vec_lit) . value: (_) @body) @definition.function
  (#any-of? @_word "defn" "defn-" "definline") (#set! rest ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (str_lit) @documentation . value: (_) @body) @definition.function
  (#any-of? @_word "defn" "defn-" "defmulti" "deftest" "defn-spec" "defnc" "definline") (#set! rest ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (vec_lit) @_parameters . value: (_) @body) @definition.function
  (#any-of? @_word "defn" "defn-" "definline") (#set! rest ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (_)? @body) @definition.function
  (#any-of? @_word "defn" "defn-" "defmulti" "deftest" "defspec" "definline") (#set! rest ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (str_lit) @documentation . value: (vec_lit) . value: (_) @body) @definition.macro
  (#eq? @_word "defmacro") (#set! rest ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (str_lit) @documentation . value: (_) @body) @definition.macro
  (#eq? @_word "defmacro") (#set! rest ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (_)? @body) @definition.macro
  (#eq? @_word "defmacro") (#set! rest ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (_) . value: (_) @body) @definition.method
  (#eq? @_word "defmethod") (#set! rest ""))

((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (str_lit) @documentation) @definition.interface
  (#any-of? @_word "defprotocol" "definterface") (#set! line ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name)) @definition.interface
  (#any-of? @_word "defprotocol" "definterface") (#set! line ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name)) @definition.struct
  (#any-of? @_word "defrecord" "deftype" "defstruct") (#set! line ""))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name)) @definition.impl
  (#any-of? @_word "extend-type" "extend-protocol" "extend") (#set! prefix "extend ") (#set! line ""))
; Methods of protocols and records.
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit)
  value: (list_lit . value: (sym_lit name: (sym_name) @name) . value: (vec_lit) value: (str_lit) @documentation .) @definition.method)
  (#any-of? @_word "defprotocol" "definterface"))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit)
  value: (list_lit . value: (sym_lit name: (sym_name) @name) . value: (vec_lit)) @definition.method)
  (#any-of? @_word "defprotocol" "definterface"))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit)
  value: (list_lit . value: (sym_lit name: (sym_name) @name) . value: (vec_lit) . value: (_) @body) @definition.method)
  (#any-of? @_word "defrecord" "deftype" "extend-type" "extend-protocol" "reify") (#set! rest ""))

((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (str_lit) @documentation . value: (_) @value) @definition.variable
  (#any-of? @_word "def" "defonce"))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @name) . value: (_)? @value) @definition.variable
  (#any-of? @_word "def" "defonce"))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (kwd_lit name: (kwd_name) @name)) @definition.type
  (#any-of? @_word "def" "s/def"))
