(comment) @comment
(attribute_declaration) @attribute

(preproc_include path: (_) @source (#set! import "include")) @import
((declaration type: (type_identifier) @_word declarator: (identifier) @source) @import
  (#eq? @_word "import") (#set! import "namespace"))

; What stands around a definition and is part of it.
(template_declaration
  [(template_declaration) (function_definition) (declaration) (field_declaration) (class_specifier) (struct_specifier)
   (union_specifier) (alias_declaration) (concept_definition) (friend_declaration)] @inner) @outer
(friend_declaration [(declaration) (function_definition)] @inner) @outer
(linkage_specification body: [(declaration) (function_definition)] @inner) @outer

(namespace_definition name: (_) @qualified body: (_) @body) @definition.namespace
(namespace_alias_definition name: (_) @name) @definition.namespace

; Types. `typedef struct { … } Name` is the struct's only name.
(type_definition
  type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.union
(type_definition
  type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
((class_specifier name: (_) @qualified body: (_) @body) @definition.class (#set! access "private"))
((struct_specifier name: (_) @qualified body: (_) @body) @definition.struct (#set! access "public"))
((union_specifier name: (_) @qualified body: (_) @body) @definition.union (#set! access "public"))
((enum_specifier name: (_) @qualified body: (_) @body) @definition.enum (#set! access ""))
(enumerator name: (_) @name) @definition.enum_member
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (_) @name) @definition.type
; In `typedef struct Name { … } Name` both names are those of the struct.
(type_definition
  type: [
    (struct_specifier name: (_) @same body: (_) @end)
    (union_specifier name: (_) @same body: (_) @end)
    (enum_specifier name: (_) @same body: (_) @end)
  ] @inner
  declarator: (type_identifier) @name) @outer @definition.type
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition
  declarator: (pointer_declarator declarator: (pointer_declarator declarator: (type_identifier) @name))) @definition.type
(type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (function_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition
  declarator: (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type

(field_declaration_list (access_specifier) @access)
(class_specifier !name body: (_) @scope)
(struct_specifier !name body: (_) @scope)
(union_specifier !name body: (_) @scope)

; `struct api Shape {` looks like a function without parameters, whose body the members are.
(function_definition type: [(struct_specifier) (class_specifier) (union_specifier)] declarator: (identifier)) @misread

; Functions, also those that give pointers and references. Each depth has its own pattern: an alternation of several
; depths loses matches.
(function_definition
  type: (_)
  declarator: (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified)
  (field_initializer_list)? @end
  body: (_)? @body) @definition.function
((function_definition
  !type
  declarator: (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified)
  (field_initializer_list)? @end
  body: (_)? @body) @definition.function
  (#not-any-of? @qualified "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P"))
; The macros of tests: `TEST(Suite, Name) { … }` defines `Suite.Name`.
((function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: (_) @container !declarator)
      . (parameter_declaration type: (type_identifier) @name !declarator) .))
  body: (_)? @body) @definition.function
  (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P"))
((function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @name
    parameters: (parameter_list . (parameter_declaration) .))
  body: (_)? @body) @definition.function
  (#any-of? @name "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P"))
((function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @name
    parameters: (parameter_list . (parameter_declaration) . (parameter_declaration) . (parameter_declaration)))
  body: (_)? @body) @definition.function
  (#any-of? @name "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P"))
(function_definition
  declarator: (_ (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified))
  (field_initializer_list)? @end
  body: (_)? @body) @definition.function
(function_definition
  declarator: (_ (_ (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified)))
  (field_initializer_list)? @end
  body: (_)? @body) @definition.function
(function_definition
  declarator: (operator_cast) @name
  body: (_)? @body) @definition.function
(function_definition
  declarator: (qualified_identifier scope: (_) @container name: (operator_cast) @name)
  body: (_)? @body) @definition.function
(declaration
  declarator: (operator_cast) @name
  (#set! outside "")) @definition.function
(declaration
  declarator: (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified)
  (#set! outside "")) @definition.function
(declaration
  declarator: (_ (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified))
  (#set! outside "")) @definition.function
(declaration
  declarator: (_ (_ (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified)))
  (#set! outside "")) @definition.function
(field_declaration
  declarator: (operator_cast) @name
  (#set! outside "")) @definition.function
(field_declaration
  declarator: (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified)
  (#set! outside "")) @definition.function
(field_declaration
  declarator: (_ (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified))
  (#set! outside "")) @definition.function
(field_declaration
  declarator: (_ (_ (function_declarator declarator: [
    (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
  ] @qualified)))
  (#set! outside "")) @definition.function

; Fields.
(field_declaration declarator: (field_identifier) @name . default_value: (_)? @value) @definition.field
(field_declaration declarator: (_ (field_identifier) @name) . default_value: (_)? @value) @definition.field
(field_declaration declarator: (_ (_ (field_identifier) @name)) . default_value: (_)? @value) @definition.field
(field_declaration
  declarator: (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))) @definition.field

; Variables.
((declaration
  (type_qualifier) @_const
  declarator: (init_declarator
    declarator: [(identifier) (qualified_identifier)] @qualified
    value: (_) @value)) @definition.constant
  (#any-of? @_const "const" "constexpr"))
((declaration
  (type_qualifier) @_const
  declarator: (init_declarator
    declarator: (array_declarator declarator: [(identifier) (qualified_identifier)] @qualified)
    value: (_) @value)) @definition.constant
  (#any-of? @_const "const" "constexpr"))
((declaration
  (type_qualifier) @_const
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: (array_declarator declarator: [(identifier) (qualified_identifier)] @qualified))
    value: (_) @value)) @definition.constant
  (#any-of? @_const "const" "constexpr"))
(declaration
  declarator: (init_declarator
    declarator: [(identifier) (qualified_identifier)] @qualified
    value: (_) @value)) @definition.variable
(declaration
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: [(identifier) (qualified_identifier)] @qualified)
    value: (_) @value)) @definition.variable
(declaration
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: (pointer_declarator declarator: [(identifier) (qualified_identifier)] @qualified))
    value: (_) @value)) @definition.variable
(declaration
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: (array_declarator declarator: [(identifier) (qualified_identifier)] @qualified))
    value: (_) @value)) @definition.variable
(declaration
  declarator: (init_declarator
    declarator: (array_declarator declarator: [(identifier) (qualified_identifier)] @qualified)
    value: (_) @value)) @definition.variable
(declaration
  declarator: (init_declarator
    declarator: (array_declarator declarator: (array_declarator declarator: [(identifier) (qualified_identifier)] @qualified))
    value: (_) @value)) @definition.variable
(declaration
  declarator: (init_declarator
    declarator: (reference_declarator [(identifier) (qualified_identifier)] @qualified)
    value: (_) @value)) @definition.variable
(declaration
  declarator: (init_declarator
    declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @qualified)))
    value: (_) @value)) @definition.variable
(declaration declarator: [(identifier) (qualified_identifier)] @qualified) @definition.variable
(declaration declarator: (pointer_declarator declarator: [(identifier) (qualified_identifier)] @qualified)) @definition.variable
(declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: [(identifier) (qualified_identifier)] @qualified))) @definition.variable
(declaration declarator: (pointer_declarator declarator: (array_declarator declarator: [(identifier) (qualified_identifier)] @qualified))) @definition.variable
(declaration declarator: (array_declarator declarator: [(identifier) (qualified_identifier)] @qualified)) @definition.variable
(declaration declarator: (array_declarator declarator: (array_declarator declarator: [(identifier) (qualified_identifier)] @qualified))) @definition.variable
(declaration declarator: (reference_declarator [(identifier) (qualified_identifier)] @qualified)) @definition.variable
(declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @qualified)))) @definition.variable

; Macros, without the guards of headers.
((preproc_def name: (identifier) @name value: (_)? @value) @definition.macro
  (#not-ends-with? @name "_H" "_H_" "_H__" "_HH" "_HPP" "_HPP_" "_HXX" "_INL" "_INCLUDED"))
(preproc_function_def name: (identifier) @name value: (_)? @value) @definition.macro

; Code without a name.
(lambda_expression body: (_) @body)
(translation_unit (compound_statement) @body)
(declaration_list (compound_statement) @body)
