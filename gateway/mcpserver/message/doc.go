// Package message reads the few messages of the Model Context Protocol that make
// up nearly all traffic, fast and without decoding what only passes through: the
// requests tools/call, tools/list and ping.
//
// It is for a short way in front of a complete implementation, and so it either
// understands a message to its last member or does not understand it at all.
// What it does not understand is not wrong: the complete implementation judges
// that, by its own rules and in its own words. Understood is a message
//
//   - that is one valid JSON object in valid UTF-8, of at most [MaxNesting]
//     brackets, with the members jsonrpc, id, method and params alone;
//   - whose params are those of its method alone: name, arguments and _meta of a
//     call, cursor and _meta of a list; arguments are an object or absent;
//   - that has no member twice and no escape in a name or text that is read here,
//     so that its bytes are what they say;
//   - whose id and progress token are texts or whole numbers of at most 2^53, so
//     that an answer that repeats their bytes says the same;
//   - whose _meta holds texts, numbers and the like beside what the protocol
//     defines, and of that only what every revision since 2026-07-28 takes.
package message
