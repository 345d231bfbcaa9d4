(comment) @comment

((include_directive filenames: (list) @source) @import (#set! import "include"))

((rule (targets (_) @name) (recipe)? @body) @definition.function
  (#not-any-of? @name
    ".PHONY" ".SUFFIXES" ".DEFAULT" ".PRECIOUS" ".INTERMEDIATE" ".SECONDARY" ".SILENT" ".IGNORE" ".POSIX" ".ONESHELL"
    ".NOTPARALLEL" ".DELETE_ON_ERROR" ".EXPORT_ALL_VARIABLES"))
((variable_assignment name: (_) @name value: (_)? @value) @definition.variable (#set! once ""))
((shell_assignment name: (_) @name value: (_)? @value) @definition.variable (#set! once ""))
((VPATH_assignment name: _ @name value: (_)? @value) @definition.variable (#set! once ""))
((define_directive name: (_) @name value: (_)? @value) @definition.macro (#set! once ""))
