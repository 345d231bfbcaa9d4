//! The edits of tree-sitter's sources that bound a parse, for the version of tree-sitter that `Cargo.toml` names.

/// An edit of one source file: the only place that holds `original` gets `replacement` instead.
pub struct Edit {
    pub file: &'static str,
    pub original: &'static str,
    pub replacement: &'static str,
}

/// All edits. The functions and limits that they name are in `bounds.h`.
pub const EDITS: &[Edit] = &[
    // Allocations are counted.
    Edit {
        file: "alloc.c",
        original: "#include \"alloc.h\"",
        replacement: "#include \"alloc.h\"\n#include \"bounds.h\"",
    },
    Edit {
        file: "alloc.c",
        original: "void *result = malloc(size);",
        replacement: "void *result = peelback_malloc(size);",
    },
    Edit {
        file: "alloc.c",
        original: "void *result = calloc(count, size);",
        replacement: "void *result = peelback_calloc(count, size);",
    },
    Edit {
        file: "alloc.c",
        original: "void *result = realloc(buffer, size);",
        replacement: "void *result = peelback_realloc(buffer, size);",
    },
    Edit {
        file: "alloc.c",
        original: "(*ts_current_free)(void *) = free;",
        replacement: "(*ts_current_free)(void *) = peelback_free;",
    },
    // The count begins with the first parse of an analysis. Only during a parse is there somebody to ask.
    Edit {
        file: "parser.c",
        original: "  self->parse_state.payload = parse_options.payload;\n  TSTree *result = ts_parser_parse(self, old_tree, input);",
        replacement: "  self->parse_state.payload = parse_options.payload;\n  self->parse_state.current_byte_offset = 0;\n  peelback_begin_parse(parse_options);\n  TSTree *result = ts_parser_parse(self, old_tree, input);\n  peelback_end_parse();",
    },
    // Every operation checks it. A parse that holds too much ends as one that was cancelled.
    Edit {
        file: "parser.c",
        original: "  if (\n    self->operation_count == 0 &&\n    (self->parse_options.progress_callback && self->parse_options.progress_callback(&self->parse_state))\n  ) {",
        replacement: "  if (\n    peelback_holds_too_much(self->parse_state.current_byte_offset) ||\n    (self->operation_count == 0 &&\n    (self->parse_options.progress_callback && self->parse_options.progress_callback(&self->parse_state)))\n  ) {",
    },
    // The search for a token asks whether it may go on: where there is an error, it reads on to the next token, and tries
    // every token at every character on the way. Each character read counts, and so does each column counted.
    Edit {
        file: "parser.c",
        original: "static Subtree ts_parser__lex(\n  TSParser *self,",
        replacement: "static bool ts_parser__check_progress(TSParser *self, Subtree *lookahead, const uint32_t *position, unsigned operations);\n\nstatic Subtree ts_parser__lex(\n  TSParser *self,",
    },
    Edit {
        file: "parser.c",
        original: "    bool found_token = false;\n    Length current_position = self->lexer.current_position;",
        replacement: "    bool found_token = false;\n    Length current_position = self->lexer.current_position;\n    uint32_t scanned = lookahead_end_byte > current_position.bytes ? lookahead_end_byte - current_position.bytes : 0;\n    if (called_get_column) scanned += current_position.extent.column;\n    if (!ts_parser__check_progress(self, NULL, NULL, peelback_operations_of_scanned_bytes(scanned))) {\n      // What a failing scanner does: the parse ends.\n      self->has_scanner_error = true;\n      return NULL_SUBTREE;\n    }",
    },
    Edit {
        file: "parser.c",
        original: "      self->external_scanner_payload = self->language->external_scanner.create();",
        replacement: "      self->external_scanner_payload = self->language->external_scanner.create();\n      peelback_has_scanner_state = self->language->external_scanner.serialize(\n        self->external_scanner_payload,\n        self->lexer.debug_buffer\n      ) > 0;",
    },
    // A step that takes stacks apart follows each way through them. Their number has no limit, and each holds a copy of
    // its subtrees.
    Edit {
        file: "stack.c",
        original: "          if (self->iterators.size >= MAX_ITERATOR_COUNT) continue;",
        replacement: "          if (self->iterators.size >= MAX_ITERATOR_COUNT) continue;\n          if ((uint64_t)(self->slices.size + self->iterators.size) * (array_get(&self->iterators, i)->subtrees.size + 1) > PEELBACK_MAX_COLLECTED_SUBTREES) continue;",
    },
    // A scanner writes its state into a buffer, and some check its size only between two parts of the state, the longest of
    // which has 4 bytes. A state that is too long ended the whole program (in Python, 511 levels of indentation and a string),
    // or lost its end without a word. A state that fills the buffer, which may be such a one, ends the parse. So does a state
    // of no bytes where even the first one has some: that is how the scanners of Bash, C#, PHP, Ruby and Scala give up.
    Edit {
        file: "lexer.h",
        original: "  char debug_buffer[TREE_SITTER_SERIALIZATION_BUFFER_SIZE];",
        replacement: "  char debug_buffer[TREE_SITTER_SERIALIZATION_BUFFER_SIZE + 64];",
    },
    Edit {
        file: "parser.c",
        original: "  ts_assert(length <= TREE_SITTER_SERIALIZATION_BUFFER_SIZE);\n  return length;",
        replacement: "  if (length >= TREE_SITTER_SERIALIZATION_BUFFER_SIZE || (length == 0 && peelback_has_scanner_state)) {\n    self->has_scanner_error = true;\n    return 0;\n  }\n  return length;",
    },
    Edit {
        file: "parser.c",
        original: "        external_scanner_state_len = ts_parser__external_scanner_serialize(self);",
        replacement: "        external_scanner_state_len = ts_parser__external_scanner_serialize(self);\n        if (self->has_scanner_error) return NULL_SUBTREE;",
    },
];

/// The edits of the scanners of grammars: the name of the crate, and an edit of its `scanner.c`.
pub const SCANNER_EDITS: &[(&str, Edit)] = &[
    // The length of a here document's word is written as one byte. Where it was larger, the scanner read a state that it
    // had not written, and ended the whole program. It gets two bytes. Where the state has no room for the word, the scanner
    // forgot all, and the document was read as code. Now the parse ends, as where the state is too long.
    (
        "tree-sitter-ruby",
        Edit {
            file: "scanner.c",
            original: "        if (size + 2 + heredoc->word.size >= TREE_SITTER_SERIALIZATION_BUFFER_SIZE) {\n            return 0;",
            replacement: "        if (size + 5 + heredoc->word.size >= TREE_SITTER_SERIALIZATION_BUFFER_SIZE) {\n            return TREE_SITTER_SERIALIZATION_BUFFER_SIZE;",
        },
    ),
    (
        "tree-sitter-ruby",
        Edit {
            file: "scanner.c",
            original: "        buffer[size++] = (char)heredoc->word.size;",
            replacement: "        buffer[size++] = (char)(heredoc->word.size & 0xFF);\n        buffer[size++] = (char)(heredoc->word.size >> 8);",
        },
    ),
    (
        "tree-sitter-ruby",
        Edit {
            file: "scanner.c",
            original: "        uint8_t word_length = buffer[size++];",
            replacement: "        uint16_t word_length = (uint8_t)buffer[size++];\n        word_length |= (uint16_t)((uint8_t)buffer[size++] << 8);",
        },
    ),
];

/// The text with the edit made; `None` where the text does not hold what is edited exactly once.
pub fn edited(text: &str, edit: &Edit) -> Option<String> {
    (text.matches(edit.original).count() == 1).then(|| text.replace(edit.original, edit.replacement))
}
