(variable) @reference
(from_instruction (image_spec name: (image_name) @reference))
((copy_instruction (param) @reference) (#starts-with? @reference "--from=") (#set! last ""))
