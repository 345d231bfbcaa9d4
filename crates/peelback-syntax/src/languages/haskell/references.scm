(fixity operator: _ @reference.none)
(import_name [(variable) (name) (prefix_id)] @reference.import)
((import module: (module) @reference.import) (#set! last ""))
(export [(variable) (name) (prefix_id)] @reference.export)
(apply function: (variable) @reference.call)
(apply function: (constructor) @reference.call)
(apply function: (qualified id: [(variable) (constructor)] @reference.call))
(infix operator: (operator) @reference.call)
(infix operator: (infix_id (_) @reference.call))
(field_update field: (field_name (variable) @reference.write))
(prefix_id (_) @reference)
(field_name (variable) @reference.member)
(name) @reference.type
(variable) @reference
(constructor) @reference
(operator) @reference.call
