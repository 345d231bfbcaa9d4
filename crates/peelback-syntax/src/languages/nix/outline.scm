(comment) @comment

((apply_expression function: (variable_expression name: (identifier) @_word) argument: [(path_expression) (spath_expression) (hpath_expression)] @source) @import
  (#any-of? @_word "import" "callPackage") (#set! import "namespace"))

((binding attrpath: (attrpath) @qualified expression: (function_expression body: (_) @body)) @definition.function)
((binding attrpath: (attrpath) @qualified expression: [(attrset_expression) (rec_attrset_expression)] @value) @definition.property)
((binding attrpath: (attrpath) @qualified expression: (_) @value) @definition.variable)
