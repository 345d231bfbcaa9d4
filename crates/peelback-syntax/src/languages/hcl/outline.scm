(comment) @comment

; Blocks are named by their labels, as expressions name them: `aws_instance.web`, `module.network`, `var.region`.
((block . (identifier) @_word . (string_lit) @container . (string_lit) @name) @definition.struct
  (#eq? @_word "resource"))
((block . (identifier) @_word . (string_lit) @container . (string_lit) @name) @definition.struct
  (#any-of? @_word "data" "ephemeral"))
((block . (identifier) @_word . (string_lit) @name) @definition.variable
  (#eq? @_word "variable") (#set! container "var"))
((block . (identifier) @_word . (string_lit) @name) @definition.module
  (#eq? @_word "module") (#set! container "module"))
((block . (identifier) @_word . (string_lit) @name) @definition.property
  (#eq? @_word "output") (#set! container "output"))
((block . (identifier) @_word . (string_lit) @name) @definition.module
  (#eq? @_word "provider") (#set! container "provider"))
((block . (identifier) @_word (body (attribute . (identifier) @name) @definition.variable))
  (#eq? @_word "locals") (#set! container "local"))
; Blocks of other programs, at the top of a file.
((config_file (body (block . (identifier) @container . [(string_lit) (identifier)] @name) @definition.struct))
  (#not-any-of? @container "resource" "data" "ephemeral" "variable" "module" "output" "provider"))
((config_file (body (block . (identifier) @name . (block_start)) @definition.section))
  (#not-any-of? @name "locals"))
(config_file (body (attribute . (identifier) @name) @definition.variable))
