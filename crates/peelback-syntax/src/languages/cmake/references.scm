(variable_ref [(normal_var (variable) @reference) (cache_var (variable) @reference)])
((normal_command (identifier) @_word (argument_list (argument (unquoted_argument) @reference)))
  (#any-of? @_word
    "target_link_libraries" "target_include_directories" "target_compile_definitions" "target_compile_options"
    "target_sources" "target_compile_features" "target_link_options" "add_dependencies" "set_target_properties"
    "set_property" "install" "add_library" "add_test" "get_target_property" "unset" "add_custom_target"
    "add_custom_command" "export"))
(normal_command (identifier) @reference.call)
(if_command (argument_list (argument (unquoted_argument) @reference)))
(elseif_command (argument_list (argument (unquoted_argument) @reference)))
