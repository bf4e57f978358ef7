import CapsuleCore
import CapsuleDatabases
import CapsuleMerge
import CapsulePropertyList
import CapsuleSQLite
import CapsuleSystem
import TestSupport

/// The result of a merge, for tests.
struct Merged {
    /// The result's bytes; nil if the unit can only be merged as a whole.
    var bytes: [UInt8]?
    var reason: String?
    var notes: [String] = []
    var externalFiles: Set<String> = []
    var decisions: MergeDecisions

    var conflicts: [Conflict] { decisions.conflicts }

    /// The conflicts in short lines: `row t {id=1} a: 1 | 2 | 3 both changed`, with base, ours and theirs.
    var lines: [String] {
        if let reason { return ["whole: \(reason)"] }
        return conflicts.map { conflict in
            let key = conflict.row.map { " {\($0.map { "\($0.key.string)=\(short($0.value))" }.joined(separator: ","))}" } ?? ""
            let place = "\(conflict.table.map { " \($0)" } ?? "")\(key)\(conflict.column.map { " \($0)" } ?? "")"
            let sides = [conflict.base, conflict.ours, conflict.theirs].map { $0.map(short) ?? "-" }.joined(separator: " | ")
            return "\(conflict.kind.rawValue)\(place): \(sides) \(conflict.reason)"
        }
    }

    /// Returns the rows of a query of the result, one line for each.
    func rows(_ sql: String) throws -> [String] {
        guard let bytes else { throw SupportError("not merged: \(reason ?? "")") }
        let directory = try TemporaryDirectory()
        try Files.write(bytes, to: directory["merged"])
        return try LiveDatabase(directory["merged"]).rows(sql).map { $0.joined(separator: "|") }
    }
}

private func short(_ value: PlistValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "r\(number)"
    case .string(let text): "'\(text.string)'"
    case .data(let bytes): "x'\(hexadecimal(bytes))'"
    case .date(let seconds): "date \(seconds)"
    case .dictionary(let dictionary):
        "{\(dictionary.map { "\($0.key.string)=\(short($0.value))" }.joined(separator: ","))}"
    default: "?"
    }
}

/// Merges databases that SQL makes: a schema with rows, then the changes of each side. Without a base (nil), each side has all of
/// its SQL.
func merge(
    _ base: String?, ours: String, theirs: String, resolutions: [String: Resolution] = [:], preferences: [MergePreference] = [],
    isSwapped: Bool = false, limits: WorkLimits = WorkLimits()
) throws -> Merged {
    let directory = try TemporaryDirectory()
    // The databases are closed, so that everything is in the files.
    if let base { _ = try LiveDatabase(directory["base"], base) }
    _ = try LiveDatabase(directory["ours"], (base ?? "") + ours)
    _ = try LiveDatabase(directory["theirs"], (base ?? "") + theirs)
    return try merge(
        base == nil ? nil : directory["base"], directory[isSwapped ? "theirs" : "ours"],
        directory[isSwapped ? "ours" : "theirs"], MergeDecisions(resolutions: resolutions, preferences: preferences),
        limits: limits)
}

/// Merges files, with the logs beside them. Nothing may remain in the directory of the private copies.
func merge(
    _ base: String?, _ ours: String, _ theirs: String, _ decisions: MergeDecisions = MergeDecisions(),
    limits: WorkLimits = WorkLimits()
) throws -> Merged {
    let directory = try TemporaryDirectory()
    var merged = Merged(decisions: decisions)
    var before: DatabaseCopy?
    if let base { before = try copy(base, in: directory) }
    let outcome = try DatabaseMerge.merge(
        base: before, ours: copy(ours, in: directory), theirs: copy(theirs, in: directory),
        path: RelativePath(validating: Array("Library/Model.sqlite".utf8)), in: HostPath(directory.path), limits: limits,
        &merged.decisions)
    switch consume outcome {
    case .wholeUnit(let reason): merged.reason = reason
    case .merged(let database, let facts):
        merged.notes = facts.notes
        merged.externalFiles = facts.externalFiles
        merged.bytes = try bytes(of: database)
    }
    guard try directory.names.isEmpty else { throw SupportError("left behind: \(try directory.names)") }
    return merged
}

private func bytes(of database: borrowing CheckpointedDatabase) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(database.length))
    var count = 0
    // The file is complete, and not longer than it claims.
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count + 1, alignment: 1)
    defer { room.deallocate() }
    count = try database.read(at: 0, into: room)
    guard count == bytes.count else { throw SupportError("\(count) bytes of \(bytes.count)") }
    bytes.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[..<count])) }
    return bytes
}
