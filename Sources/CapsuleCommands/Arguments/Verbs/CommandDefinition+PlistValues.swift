extension CommandDefinition {
    /// The flags of `plist set` that say what is set.
    static let plistValues = [
        Flag(
            .bool, "bool", value: Flag.Value("VALUE", .text), in: .value,
            summary: "a boolean: true or false, YES or NO",
            details: "Set a boolean: `true` or `false`. `YES` and `NO` work too."),
        Flag(
            .data, "data", value: Flag.Value("BASE", .text), in: .value,
            summary: "data, in base64",
            details: "Set data. *BASE* is base64, and can be empty."),
        Flag(
            .date, "date", value: Flag.Value("TIME", .text), in: .value,
            summary: "a date in UTC: 2026-03-01T10:20:30Z",
            details: "Set a date in UTC, in ISO 8601: `2026-03-01T10:20:30Z`. Fractions of a second are allowed."),
        Flag(
            .fromJSON, "from-json", value: Flag.Value("JSON", .text), in: .value,
            summary: "any value, as JSON",
            details: """
                Set any value, written as JSON, including arrays and dictionaries. For types that JSON doesn't have, write \
                `{"$data": "AAEC"}`, `{"$date": "2026-03-01T10:20:30Z"}`, `{"$uid": 1}`, `{"$real": "1.0"}` or \
                `{"$int": "1"}`.
                """),
        Flag(
            .integer, "integer", value: Flag.Value("NUMBER", .text), in: .value,
            summary: "an integer, in decimal or hexadecimal",
            details: "Set an integer: decimal, or hexadecimal with the prefix `0x`."),
        Flag(
            .real, "real", value: Flag.Value("NUMBER", .text), in: .value,
            summary: "a real number",
            details: "Set a real number: `1.5` or `1e300`, or `nan` or `infinity`."),
        Flag(
            .string, "string", value: Flag.Value("TEXT", .text), in: .value,
            summary: "a string",
            details: "Set a string, which can be empty."),
    ]
}
