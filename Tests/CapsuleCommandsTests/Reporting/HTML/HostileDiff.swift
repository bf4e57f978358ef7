@testable import CapsuleCore
@testable import CapsulePropertyList
@testable import CapsuleRules

/// A diff in which every text tries to become markup, script or another text.
enum HostileDiff {
    /// Text that must not be written unescaped.
    static let markup = #"</script></style></title>--><img src=x onerror="alert(1)" a='b'>&amp;<svg/onload=alert(2)>"#
    static let turned = "\u{202E}gpj.exe\u{2066}\u{200B}\u{FEFF}\u{1B}[31m\u{85}\u{2028}"

    static func make() throws -> ContainerDiff {
        let text = markup + turned
        let string = PlistString(text)
        let bytes = Array(text.utf8)
        // A path component can't contain a slash, and its length is limited.
        let name = Array(text.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "|") : $0 }) + [0xFF, 0xC3]
        let path = try RelativePath(validating: name)
        let shown = DisplayValue.value(.string(string))
        let attribute = ExtendedAttribute(name: bytes, value: [])
        let contents: [ChangeDetail.Content] = [
            .value(PlistChange(.modified(old: .string(string), new: .data([0])), at: PlistPointer(steps: [string]), in: string)),
            .value(PlistChange(.added(.array([.string(string)])), at: PlistPointer(steps: []))),
            .value(PlistChange(.order(old: [.string(string)], new: []), at: PlistPointer(steps: [string]))),
            .schema(SchemaChange(.modified, object: text, name: text, old: text, new: text + "\n" + text)),
            .row(
                RowChange(
                    .modified, table: text, entity: text, key: [.init(text, shown)],
                    columns: [
                        .init(
                            text, attribute: text, old: .textHead(string, count: .max),
                            new: .external(name: text, size: nil, digest: nil),
                            nested: [PlistChange(.deleted(.string(string)), at: PlistPointer(steps: [string]), in: string)])
                    ])),
            .row(RowChange(.added, table: "bare", key: [], columns: [])),
            .text(
                TextChange(
                    encoding: text, added: .max, deleted: .min, hunkCount: .max,
                    hunks: [
                        .init(
                            old: .init(start: .max, count: .min), new: .init(start: .min, count: .max),
                            lines: [.init(.context, text), .init(.deleted, text), .init(.added, text, lacksNewline: true)])
                    ])),
            .bytes(BytesChange(oldSize: .max, newSize: 0, first: .max, equal: .nan)),
            .bytes(BytesChange(oldSize: 0, newSize: 1, first: nil, equal: .infinity)),
            .bytes(BytesChange(oldSize: 0, newSize: 1, first: nil, equal: -1)),
            .image(
                ImageChange(
                    old: .init(format: text, width: .max, height: .max, bytes: .max),
                    new: .init(format: text, width: 0, height: nil, bytes: 0))),
            .cookie(
                CookieChange(
                    .deleted, domain: text, path: text, cookie: text,
                    fields: [.init(text, old: .hidden(text), new: nil)])),
            .cookie(CookieChange(.added, domain: "", path: "", cookie: "", fields: [])),
            .metadata(MetadataChange(.attribute(bytes), old: shown, new: nil, member: path)),
            .metadata(MetadataChange(.mode, old: shown, new: .hidden(text))),
            .encoding(EncodingChange(old: text, new: text)), .encoding(EncodingChange(old: text, new: "")),
            .fallback(HandlerFallback(side: .both, from: text, to: text, reason: text)),
            .limit(Truncation(text, table: text, shown: .max, total: .max, isJudged: true)),
            .limit(Truncation(text, shown: 1, isJudged: true)), .limit(Truncation(text, total: 1, isJudged: true)),
            .limit(Truncation(text, isJudged: true)), .limit(Truncation(text, table: text, limit: .max)),
        ]
        let class1 = NoiseClass(rawValue: text)
        var entry = EntryChange(
            .modified, at: path, old: SampleDiff.file(path, size: .max, attributes: [attribute]), new: SampleDiff.file(path),
            handler: text, details: contents.map { ChangeDetail($0) } + contents.map { ChangeDetail($0, noise: class1) })
        let script = Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(3)</script></svg>".utf8)
        entry.pictures = (
            .init(type: "image/svg+xml", bytes: script), .init(type: "image/png\" onerror=\"alert(4)", bytes: script)
        )
        let moved = EntryChange(
            .renamed(from: path), at: try RelativePath(validating: name + Array(" 2".utf8)),
            new: TreeEntry(path: path, kind: .link, mode: .link, modified: Timestamp(seconds: .min), target: bytes), noise: class1
        )
        let side = ContainerDiff.Side(source: bytes + [0xFF])
        return ContainerDiff(old: side, new: side, entries: [entry, moved], isComplete: false)
    }
}
