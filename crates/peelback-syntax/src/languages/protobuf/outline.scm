(comment) @comment

((import path: (_) @source) @import (#set! import "include"))

(package (full_ident) @name) @definition.namespace

(message (message_name) @name (message_body) @body) @definition.struct
(group (message_name) @name (message_body) @body) @definition.struct
(field (identifier) @name) @definition.field
(map_field (identifier) @name) @definition.field
((oneof "oneof" . (identifier) @name) @definition.field (#set! line ""))
(oneof_field (identifier) @name) @definition.field
(extend (full_ident) @name (message_body) @body (#set! prefix "extend ")) @definition.impl
(enum (enum_name) @name (enum_body) @body) @definition.enum
(enum_field . (identifier) @name) @definition.enum_member
((service (service_name) @name) @definition.interface (#set! line ""))
(rpc (rpc_name) @name) @definition.method
