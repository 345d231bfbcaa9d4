(comment) @comment

((block . (identifier) @_word (body (attribute . (identifier) @_key (expression (literal_value (string_lit) @source))) @import))
  (#eq? @_word "module") (#eq? @_key "source") (#set! import "namespace"))

; Blocks are named by their labels, as expressions name them: `aws_instance.web`, `module.network`, `var.region`.
((block . (identifier) @_word . (string_lit) @container . (string_lit) @name) @definition.struct
  (#eq? @_word "resource") (#set! line ""))
((block . (identifier) @_word . (string_lit) @container . (string_lit) @name) @definition.struct
  (#any-of? @_word "data" "ephemeral") (#set! line ""))
((block . (identifier) @_word . (string_lit) @name) @definition.variable
  (#eq? @_word "variable") (#set! container "var") (#set! line ""))
((block . (identifier) @_word . (string_lit) @name) @definition.module
  (#eq? @_word "module") (#set! container "module") (#set! line ""))
((block . (identifier) @_word . (string_lit) @name) @definition.property
  (#eq? @_word "output") (#set! container "output") (#set! line ""))
((block . (identifier) @_word . (string_lit) @name) @definition.module
  (#eq? @_word "provider") (#set! container "provider") (#set! line ""))
((block . (identifier) @_word (body (attribute . (identifier) @name) @definition.variable))
  (#eq? @_word "locals") (#set! container "local"))
; Blocks of other programs, at the top of a file.
((config_file (body (block . (identifier) @container . [(string_lit) (identifier)] @name) @definition.struct))
  (#not-any-of? @container "resource" "data" "ephemeral" "variable" "module" "output" "provider") (#set! line ""))
((config_file (body (block . (identifier) @name . (block_start)) @definition.section))
  (#not-any-of? @name "locals") (#set! line ""))
(config_file (body (attribute . (identifier) @name) @definition.variable))
