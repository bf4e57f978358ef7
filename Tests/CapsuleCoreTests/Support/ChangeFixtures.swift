import CapsuleCore
import CapsulePropertyList
import Testing

/// Returns a comparison with these entries.
func comparison(_ entries: EntryChange..., isComplete: Bool = true) -> ContainerDiff {
    ContainerDiff(old: .init(source: [1]), new: .init(source: [2]), entries: entries, isComplete: isComplete)
}

/// Returns the change of an entry, which is a file on each side that has it.
func entry(_ kind: EntryChange.Kind, _ path: String, _ details: ChangeDetail...) throws -> EntryChange {
    try entry(kind, path, details)
}

func entry(_ kind: EntryChange.Kind, _ path: String, _ details: [ChangeDetail]) throws -> EntryChange {
    let path = try relativePath(path)
    let file = TreeEntry(path: path, kind: .file, mode: FileMode(0o644), modified: Timestamp(seconds: 0))
    return EntryChange(
        kind, at: path, old: kind == .added ? nil : file, new: kind == .deleted ? nil : file, handler: "plist", details: details)
}

func relativePath(_ path: String) throws -> RelativePath { try RelativePath(validating: Array(path.utf8)) }

func value(_ pointer: String, _ kind: PlistChange.Kind) throws -> ChangeDetail {
    ChangeDetail(.value(PlistChange(kind, at: try PlistPointer(pointer))))
}

func value(_ pointer: String, _ old: PlistValue, _ new: PlistValue) throws -> ChangeDetail {
    try value(pointer, .modified(old: old, new: new))
}

/// Returns a row of `ZNOTE`, entity `Note`, with the primary key `Z_PK`.
func row(
    _ operation: ChangeOperation, table: String = "ZNOTE", key: PlistValue = 12, _ columns: RowChange.Column...
) -> ChangeDetail {
    ChangeDetail(
        .row(
            RowChange(
                operation, table: table, entity: table == "ZNOTE" ? "Note" : nil, key: [.init("Z_PK", .value(key))],
                columns: columns)))
}

func column(_ name: String, _ old: PlistValue?, _ new: PlistValue?, attribute: String? = nil) -> RowChange.Column {
    RowChange.Column(name, attribute: attribute, old: old.map { .value($0) }, new: new.map { .value($0) })
}

let textDetail = ChangeDetail(.text(TextChange(encoding: "utf-8", added: 1, deleted: 0, hunkCount: 1, hunks: [])))
let bytesDetail = ChangeDetail(.bytes(BytesChange(oldSize: 1, newSize: 2, first: 0, equal: nil)))
let limitDetail = ChangeDetail(.limit(Truncation("rows")))
