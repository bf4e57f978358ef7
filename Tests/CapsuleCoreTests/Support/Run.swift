import CapsuleCore
import CapsulePropertyList
import CapsuleRules
import TestSupport

/// The changes that an app makes by itself at each start: at the same places, with other dates, UUIDs, numbers and names.
struct Run {
    /// A kind of change that an app makes.
    enum Habit: CaseIterable {
        case launchDate, sessionUUID, launchCount, homeDirectory, receipt, sessionKey, clock, flag, title
        case logFile, cacheFile, movedFile, replacedFile, stampedLog, blobFile, textLog, attribute
        case noteDate, noteBlob, historyRows
    }

    var random: SeededGenerator

    /// The bytes of a UUID of version 4.
    private static func uuidBytes(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = random.bytes(16)
        (bytes[6], bytes[8]) = (0x40 | bytes[6] & 0x0F, 0x80 | bytes[8] & 0x3F)
        return bytes
    }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func uuid() -> String {
        let digits = random.bytes(16).map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.utf8.count == 1 ? "0" + text : text
        }
        let groups = [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
        return groups.map { $0.joined() }.joined(separator: "-")
    }

    private mutating func text(_ text: String) -> PlistValue { .string(PlistString(text)) }

    /// The old values at places that change. They are the same before each run.
    private static let before = (
        date: PlistValue.date(699_999_999.5), uuid: "6B29FC40-CA47-1067-B31D-00DD010662DA", data: PlistValue.data([1, 2, 3, 4])
    )

    private mutating func date() -> PlistValue { .date(Double(random.number(700_000_000...800_000_000))) }

    /// Returns the entries that differ between two captures of an app with these habits, by path.
    mutating func changes(_ habits: [Habit]) throws -> ContainerDiff {
        let changed = try habits.flatMap { try entries(of: $0) }
        var byPath: [RelativePath: EntryChange] = [:]
        for entry in changed {
            if byPath[entry.path] == nil { byPath[entry.path] = entry } else { byPath[entry.path]?.details += entry.details }
        }
        return ContainerDiff(
            old: .init(source: []), new: .init(source: []), entries: byPath.values.sorted { $0.path < $1.path })
    }

    private mutating func entries(of habit: Habit) throws -> [EntryChange] {
        let preferences = "Library/Preferences/com.x.plist"
        let store = "Library/Model.sqlite"
        func inPreferences(_ details: ChangeDetail...) throws -> [EntryChange] { [try entry(.modified, preferences, details)] }
        switch habit {
        case .launchDate: return try inPreferences(try value("/lastLaunch", Self.before.date, date()))
        case .sessionUUID: return try inPreferences(try value("/session", text(Self.before.uuid), text(uuid())))
        case .launchCount:
            return try inPreferences(
                try value(
                    "/launches", .integer(PlistInteger(random.number(1...9))), .integer(PlistInteger(random.number(10...99)))))
        case .homeDirectory:
            let roots = [Self.before.uuid, uuid()].map { text("/var/mobile/Containers/Data/Application/\($0)/Documents") }
            return try inPreferences(try value("/home", roots[0], roots[1]))
        case .receipt: return try inPreferences(try value("/receipt", Self.before.data, .data(Self.uuidBytes(&random))))
        case .sessionKey:
            return try inPreferences(
                try value("/sessions/\(uuid())/began", .added(date())), try value("/sessions/[id=\(uuid())]", .deleted(["a": 1])))
        case .clock:
            return try inPreferences(
                try value(
                    "/uptime", .real(7e8 + 0.5), .real(Double(random.number(1...99)) + 8e8 + 0.5))
            )
        case .flag: return try inPreferences(try value("/warm", false, true))
        case .title: return try inPreferences(try value("/greeting", .added("Hello")))
        case .logFile: return [try entry(.added, "Documents/logs/\(uuid()).log")]
        case .cacheFile:
            return [try entry(.deleted, "Library/Thumbs/\(uuid())/1.png"), try entry(.added, "Library/Thumbs/\(uuid())/1.png")]
        case .movedFile:
            return [try entry(.renamed(from: try relativePath("Library/new/a")), "Library/done/\(uuid())")]
        case .replacedFile: return [try entry(.modified, "Library/state.bin")]
        case .stampedLog: return [try entry(.added, "Documents/run-\(random.number(1_700_000_000...1_800_000_000)).txt")]
        case .blobFile: return [try entry(.modified, "Library/blob", bytesDetail)]
        case .textLog: return [try entry(.modified, "Documents/log.txt", textDetail)]
        case .attribute:
            let change = MetadataChange(
                .attribute([97]), old: .value(Self.before.data), new: .value(.data(Self.uuidBytes(&random))))
            return [try entry(.modified, "Library/blob", ChangeDetail(.metadata(change)))]
        case .noteDate:
            return [
                try entry(.modified, store, row(.modified, column("ZOPENED", Self.before.date, date()), column("Z_OPT", 1, 2)))
            ]
        case .noteBlob:
            var blob = column("ZBLOB", Self.before.data, .data(random.bytes(8)))
            blob.nested = [PlistChange(.modified(old: Self.before.date, new: date()), at: try PlistPointer("/seen"))]
            return [try entry(.modified, store, row(.modified, key: 13, blob))]
        case .historyRows:
            return [
                try entry(
                    .modified, store,
                    row(.added, table: "ZVISIT", key: text(uuid()), column("ZWHEN", nil, date())),
                    row(.added, table: "ZVISIT", key: text(uuid()), column("ZWHEN", nil, date())))
            ]
        }
    }
}

/// Returns the value of a JSON text.
func json(_ text: String) throws -> PlistValue {
    try PlistReader.read(Array(text.utf8), accepting: [.json]).value
}
