(function_call (identifier) @reference.call)
; `var.region`, `local.tags`, `module.network`, `aws_instance.web`, `data.aws_ami.ubuntu`.
((expression (variable_expr (identifier) @_root) . (get_attr (identifier)) . (get_attr (identifier) @reference))
  (#eq? @_root "data"))
((expression (variable_expr (identifier) @_root) . (get_attr (identifier) @reference))
  (#not-any-of? @_root "data" "each" "count" "self" "path" "terraform"))
(variable_expr (identifier) @reference)
(get_attr (identifier) @reference.member)
