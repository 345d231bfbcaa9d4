[(comment) (js_comment)] @comment

((import_statement (string_value) @source) @import (#set! import "include"))
((use_statement (string_value) @source) @import (#set! import "namespace"))
((forward_statement (string_value) @source) @import (#set! import "namespace"))

(mixin_statement name: (identifier) @name (block) @body) @definition.macro
(function_statement name: (identifier) @name (block) @body) @definition.function
(stylesheet (declaration (property_name) @name) @definition.variable (#starts-with? @name "$"))
((declaration (property_name) @name) @definition.property (#starts-with? @name "--"))
(rule_set (selectors) @name (block) @body) @definition.section
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.function
((media_statement (block) @body) @definition.section (#set! header ""))
((supports_statement (block) @body) @definition.section (#set! header ""))
((at_rule (at_keyword) (block) @body) @definition.section (#set! header ""))
