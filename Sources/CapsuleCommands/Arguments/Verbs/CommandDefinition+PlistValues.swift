extension CommandDefinition {
    /// The flags of `plist set` that say what is set.
    static let plistValues = [
        Flag(
            .bool, "bool", value: Flag.Value("VALUE", .text), in: .value,
            summary: "a boolean: true or false, YES or NO",
            details: "Set a boolean: `true` or `false`; `YES` and `NO` are understood too."),
        Flag(
            .data, "data", value: Flag.Value("BASE", .text), in: .value,
            summary: "data, in base64",
            details: "Set data, whose bytes *BASE* spells in base64; it may be empty."),
        Flag(
            .date, "date", value: Flag.Value("TIME", .text), in: .value,
            summary: "a date in UTC: 2026-03-01T10:20:30Z",
            details: "Set a date, in UTC, as ISO 8601 has it: `2026-03-01T10:20:30Z`, with a fraction of a second if need be."),
        Flag(
            .fromJSON, "from-json", value: Flag.Value("JSON", .text), in: .value,
            summary: "whatever a text in JSON spells",
            details: """
                Set what a text in JSON spells: arrays and dictionaries too. `{"$data": "AAEC"}`, \
                `{"$date": "2026-03-01T10:20:30Z"}`, `{"$uid": 1}`, `{"$real": "1.0"}` and `{"$int": "1"}` stand for what JSON \
                does not have.
                """),
        Flag(
            .integer, "integer", value: Flag.Value("NUMBER", .text), in: .value,
            summary: "an integer, in decimal or hexadecimal",
            details: "Set an integer, in decimal, or in hexadecimal with `0x` before it."),
        Flag(
            .real, "real", value: Flag.Value("NUMBER", .text), in: .value,
            summary: "a real number",
            details: "Set a real number: `1.5`, `1e300`, `nan` and `infinity` too."),
        Flag(
            .string, "string", value: Flag.Value("TEXT", .text), in: .value,
            summary: "a string",
            details: "Set a string, which may be empty."),
    ]
}
