[(comment) (js_comment)] @comment

((import_statement [(string_value) (call_expression (arguments (_) @source))] @source) @import (#set! import "include"))

(rule_set (selectors) @name (block) @body) @definition.section
((declaration (property_name) @name) @definition.property (#starts-with? @name "--"))
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.function
((media_statement (block) @body) @definition.section (#set! header ""))
((supports_statement (block) @body) @definition.section (#set! header ""))
((scope_statement (block) @body) @definition.section (#set! header ""))
((at_rule (at_keyword) (block) @body) @definition.section (#set! header ""))
