import Foundation

@testable import CapsuleCore
@testable import CapsulePropertyList
@testable import CapsuleRules

/// Handmade diffs of containers: every kind of entry and detail, and very unusual file names.
enum SampleDiff {
    static func path(_ text: String) throws -> RelativePath { try RelativePath(validating: Array(text.utf8)) }

    static func file(
        _ path: RelativePath, size: UInt64 = 0, digest: UInt8 = 0x9B, mode: UInt16 = 0o644, attributes: [ExtendedAttribute] = []
    ) -> TreeEntry {
        TreeEntry(
            path: path, kind: .file, mode: FileMode(mode), modified: Timestamp(seconds: 1_790_000_000 + Int64(digest)),
            size: size,
            digest: ContentDigest { for index in $0.indices { $0[index] = digest &+ UInt8(truncatingIfNeeded: index) } },
            attributes: attributes)
    }

    static func entry(
        _ kind: EntryChange.Kind, _ text: String, old: UInt64? = nil, new: UInt64? = nil, handler: String? = nil,
        noise: NoiseClass? = nil, _ details: [ChangeDetail.Content] = []
    ) throws -> EntryChange {
        let path = try path(text)
        return EntryChange(
            kind, at: path, old: old.map { file(path, size: $0, digest: 0x11) }, new: new.map { file(path, size: $0) },
            handler: handler, details: details.map { ChangeDetail($0) }, noise: noise)
    }

    static func value(_ kind: PlistChange.Kind, _ pointer: [PlistString], in className: PlistString? = nil)
        -> ChangeDetail.Content
    {
        .value(PlistChange(kind, at: PlistPointer(steps: pointer), in: className))
    }

    static let old = side("captures/onboarding-base.capsule@1", 0x3F)
    static let new = side("/Users/sam/Downloads/com.example.Notes 2026-11-20 10:12.31.004.xcappdata", 0x77)

    private static func side(_ source: String, _ digest: UInt8) -> ContainerDiff.Side {
        ContainerDiff.Side(
            source: Array(source.utf8),
            tree: ContentDigest { for index in $0.indices { $0[index] = digest &+ UInt8(truncatingIfNeeded: 7 * index) } })
    }

    /// Returns one of everything, as an app might produce it.
    static func rich() throws -> ContainerDiff {
        let entries = try documents() + library() + noise()
        return ContainerDiff(old: old, new: new, entries: entries.sorted { $0.path < $1.path }, isComplete: false)
    }

    private static func documents() throws -> [EntryChange] {
        var picture = try entry(
            .modified, "Documents/Avatars/me.png", old: 358, new: 635, handler: "image",
            [
                .image(
                    ImageChange(
                        old: .init(format: "png", width: 96, height: 96, bytes: 358),
                        new: .init(format: "png", width: 128, height: 128, bytes: 635)))
            ])
        picture.pictures = (SamplePictures.disc, SamplePictures.ring)
        var added = try entry(.added, "Documents/Avatars/you.png", new: 635)
        added.pictures = (nil, SamplePictures.ring)
        var deleted = try entry(.deleted, "Documents/Avatars/old.gif", old: 35)
        deleted.pictures = (SamplePictures.dot, nil)
        var photo = try entry(
            .modified, "Documents/Avatars/live.heic", old: 1_204_113, new: 1_190_002, handler: "image",
            [
                .image(
                    ImageChange(
                        old: .init(format: "heic", width: 4032, height: 3024, bytes: 1_204_113),
                        new: .init(format: "heic", width: nil, height: nil, bytes: 1_190_002)))
            ])
        photo.pictures = (
            EntryChange.Picture(type: "image/heic", bytes: [0, 0, 0, 24]), EntryChange.Picture(type: "image/heic", bytes: [0])
        )
        let from = try path("Documents/Inbox/draft.md")
        let text = TextChange(
            encoding: "utf-8", added: 5, deleted: 2, hunkCount: 3,
            hunks: [
                .init(
                    old: .init(start: 10, count: 5), new: .init(start: 10, count: 7),
                    lines: [
                        .init(.context, "2026-11-20T10:12:30Z launch"), .init(.deleted, "\tsession = cold"),
                        .init(.added, "\tsession = warm"), .init(.added, "\trestored = true"),
                        .init(.added, "if (a < b && b > c) { print(\"<ok>\") }"), .init(.context, ""), .init(.context, "done"),
                    ]),
                .init(
                    old: .init(start: 41, count: 1), new: .init(start: 43, count: 2),
                    lines: [
                        .init(.deleted, "bye", lacksNewline: true), .init(.added, "bye"),
                        .init(.added, "end " + String(repeating: "long ", count: 60), lacksNewline: true),
                    ]),
            ])
        return [
            picture, added, deleted, photo,
            EntryChange(
                .renamed(from: from), at: try path("Documents/Inbox/Archive/2026/final.md"), old: file(from, size: 4_711),
                new: file(try path("Documents/Inbox/Archive/2026/final.md"), size: 4_711)),
            try entry(.modified, "Documents/Logs/session.log", old: 10_240, new: 10_412, handler: "text", [.text(text)]),
            try entry(
                .modified, "Documents/Store.bin", old: 25_165_824, new: 25_165_862, handler: "bytes",
                [.bytes(BytesChange(oldSize: 25_165_824, newSize: 25_165_862, first: 12_608_475, equal: 0.9931))]),
            try entry(
                .modified, "Documents/vault.sqlite", old: 8_192, new: 4_100, handler: "bytes",
                [
                    .fallback(HandlerFallback(side: .b, from: "sqlite", to: "bytes", reason: "file is not a database")),
                    .bytes(BytesChange(oldSize: 8_192, newSize: 4_100, first: nil, equal: 1)),
                ]),
            try entry(
                .modified, "Documents/shared.json", old: 120, new: 120, handler: "bytes",
                [
                    .metadata(MetadataChange(.mode, old: .value(.string("0644")), new: .value(.string("0600")))),
                    .metadata(
                        MetadataChange(
                            .attribute(Array("com.apple.metadata:kMDItemWhereFroms".utf8)), old: nil,
                            new: .value(.data([0x62, 0x70, 0x6C, 0x69, 0x73, 0x74])))),
                    .metadata(MetadataChange(.modified, old: .value(.date(800_000_000)), new: .value(.date(800_000_060.5)))),
                ]),
        ]
    }

    private static func library() throws -> [EntryChange] {
        let link = try path("Library/current")
        var linked = EntryChange(
            .type, at: link, old: file(link, size: 12),
            new: TreeEntry(path: link, kind: .link, mode: .link, modified: .epoch, target: Array("Caches/../v2".utf8)))
        linked.details = []
        let directory = try path("Library/Fresh")
        let made = EntryChange(
            .added, at: directory,
            new: TreeEntry(path: directory, kind: .directory, mode: FileMode(0o755), modified: .epoch))
        return [
            linked, made, try entry(.added, "Library/Fresh/readme", new: 3), try entry(.added, "Library/Fresh-er", new: 1),
            try entry(
                .modified, "Library/Preferences/com.example.Notes.plist", old: 1_204, new: 1_321, handler: "plist",
                [
                    value(.modified(old: 7, new: 8), ["launches"]),
                    value(
                        .added(.dictionary(["name": "Ada", "admin": true, "score": 9.5])), ["accounts", "[id=ada@example.com]"]),
                    value(.deleted("2026-10-01"), ["legacy/date~stamp"]),
                    value(.modified(old: "1", new: 1), ["schema", "version"]),
                    value(
                        .modified(old: .date(800_000_000), new: .date(816_948_000)), ["state", "<archive>", "root", "edited"],
                        in: "NTSession"),
                    value(.order(old: ["a", "b", "c"], new: ["c", "a", "b"]), ["recents"]),
                    value(.encoding(old: .xml, new: .binary), ["blob", "<plist>"]),
                    value(
                        .modified(
                            old: .string(PlistString(String(repeating: "lorem ipsum ", count: 100))),
                            new: .data([UInt8](repeating: 0xA5, count: 900))), ["notes", "0", "text"]),
                ]),
            try entry(
                .modified, "Library/Preferences/group.example.plist", old: 420, new: 388, handler: "plist",
                [.encoding(EncodingChange(old: "xml", new: "binary"))]),
            try database(),
            try entry(
                .modified, "Library/Cookies/Cookies.binarycookies", old: 512, new: 540, handler: "cookies",
                [
                    .cookie(
                        CookieChange(
                            .modified, domain: ".example.com", path: "/", cookie: "sid",
                            fields: [
                                .init("value", old: .hidden("cookie"), new: .hidden("cookie")),
                                .init("expires", old: .value(.date(800_000_000)), new: .value(.date(831_536_000))),
                            ])),
                    .cookie(
                        CookieChange(
                            .added, domain: "api.example.com", path: "/v1", cookie: "theme",
                            fields: [.init("flags", old: nil, new: .value("secure"))])),
                ]),
        ]
    }

    private static func database() throws -> EntryChange {
        var title = RowChange.Column("ZTITLE", attribute: "title", old: .value("Draft"), new: .value("Final"))
        title.nested = []
        var options = RowChange.Column("Z_OPT", old: .value(3), new: .value(4))
        options.noise = .coreData
        let edited = RowChange.Column(
            "ZEDITED", attribute: "edited", old: .value(.date(815_000_000)), new: .value(.date(816_948_751.25)))
        let body = RowChange.Column(
            "ZBODY", attribute: "body", old: .dataHead([0x62, 0x70, 0x6C], count: 4_096),
            new: .dataHead([0x62, 0x70], count: 4_100),
            nested: [
                PlistChange(.modified(old: 1, new: 2), at: PlistPointer(steps: ["<plist>", "blocks", "0", "level"])),
                PlistChange(.added("bold"), at: PlistPointer(steps: ["<plist>", "blocks", "0", "style"])),
            ])
        var change = try entry(
            .modified, "Library/Application Support/Notes/Model.sqlite", old: 147_456, new: 151_552, handler: "sqlite",
            [
                .schema(
                    SchemaChange(
                        .added, object: "index", name: "ZNOTE_EDITED",
                        new: "CREATE INDEX ZNOTE_EDITED ON ZNOTE (ZEDITED COLLATE BINARY ASC)")),
                .schema(
                    SchemaChange(
                        .modified, object: "table", name: "ZTAG", old: "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY)",
                        new: "CREATE TABLE ZTAG (\n\tZ_PK INTEGER PRIMARY KEY,\n\tZCOLOR VARCHAR\n)")),
                .row(
                    RowChange(
                        .modified, table: "ZNOTE", entity: "Note", key: [.init("Z_PK", .value(12))],
                        columns: [options, title, edited, body])),
                .row(
                    RowChange(
                        .added, table: "ZNOTE", entity: "Note", key: [.init("Z_PK", .value(13))],
                        columns: [
                            .init("ZTITLE", attribute: "title", new: .value("Shopping")),
                            .init(
                                "ZPHOTO", attribute: "photo",
                                new: .external(name: "7E1B4D2C-0F6A-4B51", size: 91_822, digest: .zero)),
                        ])),
                .row(
                    RowChange(
                        .deleted, table: "ZNOTE", entity: "Note", key: [.init("Z_PK", .value(2))],
                        columns: [.init("ZTITLE", attribute: "title", old: .textHead("It was a dark", count: 9_182))])),
                .row(
                    RowChange(
                        .modified, table: "link", key: [.init("note", .value(1)), .init("tag", .value(2))],
                        columns: [.init("weight", old: .value(.null), new: .value(0.5))])),
                .row(RowChange(.added, table: "marks", key: [], columns: [.init("label", new: .value("x"))])),
                .limit(Truncation("rows", table: "ZLOG", shown: 1_000, total: 52_311, isJudged: true)),
            ])
        change.details.append(
            ChangeDetail(
                .row(
                    RowChange(
                        .modified, table: "Z_PRIMARYKEY", key: [.init("Z_ENT", .value(1))],
                        columns: [.init("Z_MAX", old: .value(12), new: .value(13))])), noise: .coreData))
        return change
    }

    private static func noise() throws -> [EntryChange] {
        var idle = try entry(
            .modified, "Library/Preferences/com.apple.idle.plist", old: 90, new: 90, handler: "plist",
            [value(.modified(old: 1, new: 2), ["lastLaunch"])])
        idle.details[0].noise = NoiseClass(rawValue: "clock")
        return [
            idle, try entry(.added, "Library/Caches/com.example.Notes/fsCachedData/6D1F", new: 8_012, noise: .caches),
            try entry(.added, "Library/Caches/com.example.Notes/Cache.db", new: 98_304, noise: .caches),
            try entry(.deleted, "tmp/upload.part", old: 12, noise: .tmp),
            try entry(
                .modified, "Library/Saved Application State/com.example.Notes.savedState/KnownSceneSessions/data.data",
                old: 2_012,
                new: 2_044, noise: .sceneSessions),
        ]
    }
}

/// Pictures for pages: a red disc of 96 × 96 pixels and a blue ring of 128 × 128, both PNG with transparency.
enum SamplePictures {
    static let disc = EntryChange.Picture(
        type: "image/png",
        bytes: bytes(
            """
            iVBORw0KGgoAAAANSUhEUgAAAGAAAABgCAYAAADimHc4AAABLUlEQVR42u3dwRECMQwEwYuLCIiXBE0I1BXGK6F+bALTP4qzrtfj
            eVluIgAAYAAAGAAABuDj1o0BOBi7LcqE6KUxpkUvhzE9fBxC+DCE+GEE4cMQ4ocRxA8jiB9GED4MIX4YAcAfAayBKwOwBi8OsCwH
            IP6XCAAaA4i+AUH8MAKAhgAib0QA0AxA3M0IAAAAED+IAAAAAPGDCAAAAAAAAID4IQQAAAAAAAAAAAAAAAAAAAAAAAQ/xgEAAAAA
            gEIAEPwtBYCgYQAI/pwLQNgwAASfKAGA4DNVABDCX8pD8FgHAAgF3guC4M04b8Z5NREAAC/neju6V/gTAF5Pdz+gdvxTAC5ouCFT
            L3wKwBUld8RqhK8A4JKeW5JuSbqmWhjAPWEDAMAAADAAAOw3ewPDCkip/uYVVwAAAABJRU5ErkJggg==
            """))
    static let ring = EntryChange.Picture(
        type: "image/png",
        bytes: bytes(
            """
            iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAYAAADDPmHLAAACQklEQVR42u3dwUHEMAxFQTqhT2rYnqEDLiyOrDcH3xP/WRMSWf74
            /Hp9GN1hEgAwCQAYABgAGAAYAOwb328YAITCTqEQeByE0OMYBB+HIPg4BMHHIQg+DkHwcQjCjyMQfByC8OMIhB9HIPg4BOHHEQg/
            jkD4cQTCjyMQfhyB8OMIhB9HAAAAwi8jEH4cgfDjCADYcf2PAtg+Savvb2v4xRdcAMQ/bR8HoK5uwTzcfuOqmh8CIPwl83LrjdrR
            9CAAwS+ap5tuzFb2AQCEvwzBDTejdc0QAH79C1cBv/74KjD5BrSsGwRA+EsRAACABozLEQAAwN8ACH8xAgAAGHOhxXbtAAAAAACD
            Afj7v/w5wK8/vgoAAAAAAAAAAAAAAAAAAACcvzgneFoBhA8AAAAAAAAAAAAAAAAAANACoB5gKACrgJIwAAAAAAAI7AsAIAoAAptD
            AQAAAv0BAOgCgCDeI0iXMF3C9Am8LPy3A7AKxDuFWgX0CoZg21w5L8B5AU4MWRR85sgYZwY9DACC+Klhzg10bqCTQzfc+7ZJcHbw
            YQCTJ8Tp4YcA3DJJv03e7dcPQHiMAADBpc86lQck4R8CAMFl/+UAAMALgmj4/wkAgktecNVelwr/MAAIhr/arn44Ef5hABAM/bpZ
            /naeD/8JACAMK25RSROvbFJHFy9rU1AZL2xVVRuvalZbHy9nt8MmvpnFHrv4VjabLeObWW25ju9i1nkj3sRCF654AytdOeN9C53a
            GR8mAQCTAIABgAGAERw/N/pduBBMq/4AAAAASUVORK5CYII=
            """))
    /// A GIF of one pixel.
    static let dot = EntryChange.Picture(
        type: "image/gif", bytes: bytes("R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="))

    private static func bytes(_ base64: String) -> [UInt8] {
        [UInt8](Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
    }
}
