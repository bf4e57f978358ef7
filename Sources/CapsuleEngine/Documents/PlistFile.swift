import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleHashing
package import CapsuleOverlay
package import CapsulePropertyList
import CapsuleSystem

/// A property list in a file on this machine, in a container, or on standard input.
package struct PlistFile: Sendable {
    package enum Destination: Sendable {
        /// The file itself, if anything changes.
        case inPlace
        case output(OutputFile)
        case dryRun
    }

    static let longest = StandardInput.longestPropertyList

    package let path: HostPath
    let name: [UInt8]
    package let document: PlistDocument
    let mode: FileMode?
    /// The file for writing back; nil for standard input, for pipes, and for a file in a capsule or an archive.
    private let edited: EditedFile?
    private let remarks: [CapsuleError]
    private let isStored: Bool
    package let advice: SimulatorAdvice?

    /// Reads a file, or one in a container that is named `CONTAINER:PATH`; `-` is standard input.
    /// - Parameters:
    ///   - isLenient: true to repair what can be repaired, with warnings. Of duplicate keys, the last value is used; otherwise only
    ///     XML and OpenStep accept them.
    ///   - isEdited: true if the file is to be written in place. It stays locked until that is done, or until this value is
    ///     released.
    package init(_ path: HostPath, isLenient: Bool = false, isEdited: Bool = false) throws(CapsuleError) {
        if path == .standardStream {
            try self.init(spooled: try StandardInput.spool(for: .propertyList), mode: path.inputMode, isLenient: isLenient)
        } else if FileProbe.isPipe(path) {
            try self.init(spooled: try StandardInput.spool(pipe: path, for: .propertyList), isLenient: isLenient)
        } else if let name = ContainedName(path.bytes) {
            try self.init(name, as: path, isLenient: isLenient, isEdited: isEdited)
        } else {
            try self.init(onDisk: path, isLenient: isLenient, isEdited: isEdited)
        }
    }

    init(onDisk path: HostPath, isLenient: Bool = false, isEdited: Bool = false) throws(CapsuleError) {
        if FileProbe.isDirectory(path) {
            throw CapsuleError("is a directory, not a property list", path: path, hint: Self.hintAtContainer(path))
        }
        let file = try Self.file(path, isEdited)
        try self.init(path, file.bytes, mode: path.inputMode, edited: file, isLenient: isLenient)
    }

    /// A file in a directory can be written back.
    private init(_ name: ContainedName, as path: HostPath, isLenient: Bool, isEdited: Bool) throws(CapsuleError) {
        let remarks = WarningLog()
        let found = try FoundFile(name) { remarks.add($0) }
        guard found.entry.size <= Self.longest else { throw StandardInput.tooLong(path) }
        let file: EditedFile? = if let live = found.livePath { try Self.file(live, isEdited) } else { nil }
        let bytes = if let file { file.bytes } else { try found.bytes() }
        try self.init(
            path, bytes, mode: found.modes.dropFirst().reduce(found.modes.first) { $0?.within($1) }, edited: file,
            isLenient: isLenient, named: Array(found.entry.path.name), remarks: remarks.all, isStored: file == nil,
            advice: found.advice)
    }

    private static func file(_ path: HostPath, _ isEdited: Bool) throws(CapsuleError) -> EditedFile {
        do throws(CapsuleError) {
            return try EditedFile(path, limit: longest, locks: isEdited)
        } catch {
            throw error.code == .limit ? StandardInput.tooLong(path) : error
        }
    }

    private static func hintAtContainer(_ path: HostPath) -> String {
        "name a property list in it as '\(path.shellWord):PATH'; 'capsule ls \(path.shellWord)' lists the paths"
    }

    init(spooled file: CapsuleFile, mode: FileMode? = nil, isLenient: Bool = false) throws(CapsuleError) {
        guard file.length <= Self.longest else { throw StandardInput.tooLong(file.path) }
        let bytes = try file.read(at: 0, count: Int(file.length))
        try self.init(file.path, bytes, mode: mode, edited: nil, isLenient: isLenient)
    }

    private init(
        _ path: HostPath, _ bytes: [UInt8], mode: FileMode?, edited: EditedFile?, isLenient: Bool, named name: [UInt8]? = nil,
        remarks: [CapsuleError] = [], isStored: Bool = false, advice: SimulatorAdvice? = nil
    ) throws(CapsuleError) {
        self.path = path
        self.name = name ?? path.name
        self.mode = mode
        self.edited = edited
        self.remarks = remarks
        self.isStored = isStored
        self.advice = advice
        do throws(PlistError) {
            document = try isLenient ? .repairing(bytes) : .read(bytes)
        } catch {
            let failure = CapsuleError(error, in: path)
            guard edited != nil, name == nil, InputKind.isArchive(Array(bytes.prefix(InputKind.headLength))) else {
                throw failure
            }
            throw CapsuleError(
                .failure, "is a capsule or an archive, not a property list", path: path, hint: Self.hintAtContainer(path))
        }
    }

    /// Warnings about the container and the file, then one for each duplicate key with both positions.
    package var warnings: [CapsuleError] { remarks + [edited?.warning].compactMap { $0 } + duplicates }
    var isEditable: Bool { edited != nil }
    private var duplicates: [CapsuleError] { document.warnings.map { error($0) } }

    /// Throws an error for the first duplicate key. Use it for files in a format of Capsule's own, and for a check.
    package func refuseDuplicateKeys() throws(CapsuleError) {
        if let first = duplicates.first { throw first }
    }

    /// Throws if the file is in a capsule or an archive, which is never changed in place.
    package func refuseStored() throws(CapsuleError) {
        guard isStored else { return }
        throw CapsuleError(
            .usage, "is in a capsule or an archive, and can't be changed there", path: path,
            hint: "write the result to a file with '--output', or unpack the container and apply the change to it")
    }

    /// Writes the document with another value. Only the differences are rewritten. In place, an equal value writes nothing.
    /// - Parameters:
    ///   - format: the encoding of the result; nil for the document's own.
    ///   - destination: the destination of the result. An output is not accessible to more users than this file.
    ///   - modes: the modes of other files. An output is not accessible to more users than any of them.
    /// - Returns: true if the bytes changed, and true if any were written.
    package func write(
        _ value: PlistValue, as format: PlistFormat? = nil, to destination: Destination, closedAs modes: [FileMode] = []
    ) throws(CapsuleError) -> (isChanged: Bool, isWritten: Bool) {
        let bytes: [UInt8]
        let format = format ?? document.format
        do throws(PlistError) {
            bytes =
                format == document.format ? try document.bytes(holding: value) : try PlistWriter.write(value, as: format)
        } catch {
            throw self.error(error)
        }
        let isChanged = bytes != edited?.bytes ?? document.bytes
        switch destination {
        case .dryRun:
            return (isChanged, false)
        case .inPlace:
            try refuseStored()
            if isChanged { try replace(with: bytes) }
            return (isChanged, isChanged)
        case .output(let output):
            try output.limited(to: modes + [mode].compactMap { $0 }).write(bytes)
            return (isChanged, true)
        }
    }

    func replace(with bytes: [UInt8]) throws(CapsuleError) {
        guard let edited else {
            throw CapsuleError(.usage, "can't be written back", path: path, hint: "name the result with '--output'")
        }
        try edited.replace(with: bytes)
    }

    package func error(_ error: PlistError) -> CapsuleError {
        var error = error
        if error.location == nil, let text = error.pointer, let pointer = try? PlistPointer(text) {
            error.location = document.location(of: pointer)
        }
        return CapsuleError(error, in: path)
    }

    /// The value digest: the SHA-256 of the canonical binary property list with keys sorted by bytes. It depends neither on the
    /// encoding nor on the order of keys. It is nil for a value with null, which a binary property list can't hold.
    package var valueDigest: ContentDigest? {
        guard let bytes = try? BinaryPlistWriter.write(document.value, sortsKeys: true) else { return nil }
        var hasher = SHA256Hasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        return hasher.finish()
    }
}

extension CapsuleError {
    static func note(of warning: PlistError, in path: HostPath) -> String {
        let error = CapsuleError(warning, in: path)
        return [path.description, error.place, " " + error.message].compactMap { $0 }.joined(separator: ":")
    }

    /// Creates an error of an overlay, with the position in the target if the error is about the target, else in the overlay's
    /// file.
    /// - Parameter target: the file to change; nil if there is none, or if it does not exist.
    init(_ error: OverlayError, in overlay: PlistFile, applyingTo target: PlistFile? = nil) {
        var message = error.message
        if let pointer = error.target, !pointer.isRoot { message += " (at \(pointer))" }
        let source = error.source.flatMap { $0.isRoot ? nil : $0 }
        let sourceLocation = error.location ?? source.flatMap { overlay.document.location(of: $0) }
        guard let target, let pointer = error.target, !error.isAboutOverlay else {
            if let source, error.target == nil { message += " (at \(source) of the overlay)" }
            self.init(.failure, message, path: overlay.path, hint: error.hint)
            place = Self.place(sourceLocation)
            return
        }
        if let source {
            message += ", required by \(source) in \(overlay.path)\(Self.place(sourceLocation).map { ":" + $0 } ?? "")"
        }
        self.init(.failure, message, path: target.path, hint: error.hint)
        place = Self.place(target.document.location(of: pointer))
    }

    init(_ error: OverlayError, inDocument file: PlistFile) {
        let pointer = [error.source, error.target].compactMap { $0 }.first { !$0.isRoot }
        let location = error.location ?? pointer.flatMap { file.document.location(of: $0) }
        self.init(.failure, error.message + (pointer.map { " (at \($0))" } ?? ""), path: file.path, hint: error.hint)
        place = Self.place(location)
    }

    init(_ note: OverlayNote, in file: PlistFile) {
        self.init(.failure, note.text, path: file.path, hint: note.hint)
        place = Self.place(note.target.flatMap { file.document.location(of: $0) })
    }

    init(_ error: OverlayError, inMergeOf path: RelativePath) {
        let pointer = error.target.flatMap { $0.isRoot ? nil : " (at \($0))" } ?? ""
        self.init(.failure, error.message + pointer, path: HostPath(path.bytes), hint: error.hint)
    }

    private static func place(_ location: PlistLocation?) -> String? {
        guard case .text(let line, let column)? = location else { return nil }
        return "\(line):\(column)"
    }
}

extension PlistFile {
    /// A change at one place of the document.
    package enum Edit: Sendable {
        /// Sets a dictionary's key or an array's element, or appends at an array's end.
        case set(PlistValue)
        /// Adds a key that a dictionary does not have, or inserts into an array before the place.
        case add(PlistValue)
        case append(PlistValue)
        case remove
    }

    package struct EditResult: Sendable {
        package let value: PlistValue
        package let notes: [OverlayNote]
    }

    /// Returns the value at a place.
    /// - Throws: `CapsuleError` if nothing is at the place. It names the deepest place that exists, and similar keys.
    package func value(at pointer: PlistPointer) throws(CapsuleError) -> PlistValue {
        do throws(PlistError) {
            return try document.value.value(at: pointer, nested: .compressing)
        } catch {
            throw self.error(error.suggestingKeys(of: document.value, nested: .compressing))
        }
    }

    /// Returns the value of the document after an edit.
    /// - Parameters:
    ///   - createsParents: true to create the missing dictionaries and arrays around a new value.
    /// - Throws: `CapsuleError` if the place does not exist, if a key to add already exists, or if the value to append to is not
    ///   an array.
    package func value(
        after edit: Edit, at pointer: PlistPointer, createsParents: Bool = false
    ) throws(CapsuleError) -> EditResult {
        var value = document.value
        do throws(PlistError) {
            let (place, change) = try operation(of: edit, at: pointer)
            let target = createsParents ? try value.createParents(of: place, nested: .compressing) : place
            if case .add = edit { try refuseExisting(target, in: value) }
            let notes = change.new.map { Self.notes(on: $0, at: target, in: value, change) } ?? []
            try value.edit(change, at: target, nested: .compressing)
            return EditResult(value: value, notes: notes)
        } catch {
            var error = error.suggestingKeys(of: document.value, nested: .compressing)
            if !createsParents, error.code == .missing, let hint = hintAtParents(of: pointer, edit) {
                error.hint = error.hint.map { $0 + ($0.last == "?" ? " " : "; ") + hint } ?? hint
            }
            throw self.error(error)
        }
    }

    private func operation(of edit: Edit, at pointer: PlistPointer) throws(PlistError) -> (PlistPointer, PlistEdit) {
        switch edit {
        case .set(let new): return (pointer, .set(new))
        case .add(let new): return (pointer, .add(new))
        case .remove: return (pointer, .remove)
        case .append(let new):
            let end = pointer.appending("-")
            guard let found = try? document.value.value(at: pointer, nested: .compressing), found.array == nil else {
                return (end, .add(new))
            }
            throw PlistError.noArray(found, at: pointer)
        }
    }

    /// Throws if a dictionary already has the key. In an array, the existing value moves on.
    private func refuseExisting(_ pointer: PlistPointer, in value: PlistValue) throws(PlistError) {
        guard let parent = pointer.parent, try value.value(at: parent, nested: .compressing).array == nil,
            (try? value.value(at: pointer, nested: .compressing)) != nil
        else { return }
        throw PlistError.exists(at: pointer)
    }

    /// Returns notes on a changed type. `apply` reports the same for a merge that changes a type.
    private static func notes(
        on new: PlistValue, at pointer: PlistPointer, in value: PlistValue, _ edit: PlistEdit
    ) -> [OverlayNote] {
        guard case .set = edit, let old = try? value.value(at: pointer, nested: .compressing),
            let change = old.typeChange(to: new)
        else { return [] }
        return [OverlayNote(change, at: pointer)]
    }

    private func hintAtParents(of pointer: PlistPointer, _ edit: Edit) -> String? {
        var copy = document.value
        var place = pointer
        switch edit {
        case .remove: return nil
        case .append: place = pointer.appending("-")
        case .set, .add: break
        }
        guard let parent = place.parent, (try? copy.value(at: parent, nested: .compressing)) == nil,
            (try? copy.createParents(of: place, nested: .compressing)) != nil
        else { return nil }
        return "'--create-parents' creates what is missing"
    }

    /// Returns the part of the value that another encoding can hold.
    /// - Throws: `CapsuleError` for a value that can't be converted even if `isLossy`. If not `isLossy`, the value is returned
    ///   unchanged.
    package func converted(
        to format: PlistFormat, isLossy: Bool
    ) throws(CapsuleError) -> (value: PlistValue, notes: [PlistError]) {
        guard isLossy else { return (document.value, []) }
        do throws(PlistError) {
            let conversion = try PlistConversion(of: document.value, to: format)
            return (conversion.value, conversion.notes)
        } catch {
            throw self.error(error)
        }
    }

    package func warning(_ note: OverlayNote) -> CapsuleError { CapsuleError(note, in: self) }
}

extension PlistEdit {
    fileprivate var new: PlistValue? {
        switch self {
        case .add(let new), .set(let new), .replace(let new): new
        case .remove, .transform: nil
        }
    }
}

extension NestedCoding {
    private static let inflatedBytes = 1 << 28

    package static let compressing = NestedCoding(
        inflate: { data, limit in CompressedData.inflate(data, limit: min(limit, inflatedBytes)) },
        deflate: { bytes, data in CompressedData.deflate(bytes, like: data) })
}

extension OverlayContext {
    /// Returns the circumstances in which overlays are applied to files: pointers go through all nested documents, including
    /// `<zlib>`.
    package static func files(values: [String: String], expands: Bool = false, targetPath: String? = nil) -> OverlayContext {
        OverlayContext(values: values, expands: expands, targetPath: targetPath, nested: .compressing)
    }
}
