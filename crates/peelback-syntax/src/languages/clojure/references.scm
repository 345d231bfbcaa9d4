((list_lit . value: (sym_lit name: (sym_name) @reference.none))
  (#any-of? @reference.none
    "def" "defn" "defn-" "defmacro" "defmulti" "defmethod" "defprotocol" "defrecord" "deftype" "defonce" "deftest" "ns"
    "let" "fn" "if" "do" "loop" "recur" "quote" "var" "throw" "try" "catch" "finally" "declare"))
((list_lit . value: (sym_lit name: (sym_name) @_word) . value: (sym_lit name: (sym_name) @reference.type))
  (#any-of? @_word "extend-type" "extend-protocol"))
(list_lit . value: (sym_lit name: (sym_name) @reference.call))
(vec_lit . value: (sym_lit name: (sym_name) @reference) . value: (kwd_lit name: (kwd_name)))
(sym_name) @reference
(kwd_name) @reference.member
