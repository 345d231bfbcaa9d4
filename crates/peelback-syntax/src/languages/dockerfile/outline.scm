(comment) @comment

; A stage, up to the next one.
((from_instruction as: (image_alias) @name) @definition.module (#set! extends ""))
((from_instruction !as (image_spec) @name) @definition.module (#set! extends "") (#set! borrowed ""))
(arg_instruction (arg_pair name: (_) @name)) @definition.variable
(env_instruction (env_pair name: (_) @name)) @definition.variable
