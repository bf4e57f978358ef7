package import CapsuleContainers
package import CapsuleCore
package import CapsuleOverlay
package import CapsulePropertyList
import CapsuleSystem

/// A file that appears complete or not at all, or standard output.
package struct OutputFile: Sendable {
    static let privateMode = FileMode(0o600)

    /// The file; `-` is standard output.
    package let path: HostPath
    package let replaces: Bool
    /// Standard output, where the path is `-`.
    let stream: StandardStream
    /// The mode of the file; nil for the one that the user's mask leaves.
    private(set) var mode: FileMode?

    package init(_ path: HostPath, replaces: Bool, stream: StandardStream = HostProcess().output) {
        self.path = path
        self.replaces = replaces
        self.stream = stream
    }

    func with(mode: FileMode?) -> OutputFile {
        var output = self
        output.mode = mode
        return output
    }

    /// Returns the same output with a mode that gives access only to users who can read the sources of what is written.
    func limited(to modes: [FileMode]) -> OutputFile {
        with(mode: (mode ?? FileMode(CreationMask.fileMode)).closed(as: modes))
    }

    /// The same output with a mode for the owner only.
    package var forOwner: OutputFile { with(mode: Self.privateMode) }

    package func write(_ bytes: [UInt8], as kind: OutputKind = .file) throws(CapsuleError) {
        if path == .standardStream {
            guard !stream.isTerminal || PlistFormat.sniff(bytes) != .binary else {
                throw CapsuleError(
                    "refusing to write a binary property list to a terminal", hint: "redirect it to a file or a pipe")
            }
            return try stream.writeResult(bytes)
        }
        let isReplacing = try FileProbe.checkTarget(path, as: kind, replacing: replaces)
        let staged = try StagedFile(for: path, inPlace: true)
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try staged.write(bytes, at: 0) }
        try staged.commit(replacing: isReplacing, mode: mode)
    }

    /// Appends to a file that another program reads, which is created if there is none.
    package func append(_ bytes: [UInt8], limit: UInt64) throws(CapsuleError) {
        try AppendedFile.append(bytes, to: path, limit: limit)
    }

    /// Writes an overlay: a plain one as a property list, any other as a document.
    package func write(_ overlay: Overlay) throws(CapsuleError) {
        // A plain overlay in JSON would be read as a merge patch, which replaces arrays.
        let isPlain = overlay.form == .plain && !path.isNamedJSON
        let value = isPlain ? overlay.targets.first?.merge ?? .dictionary(PlistDictionary()) : overlay.document
        try PlistOutput.write(value, to: self)
    }

    /// Deletes the file, which is not needed any more.
    package func discard() { Self.remove(path) }

    /// Deletes the written file, if it replaced nothing.
    func withdraw() {
        if !replaces, path != .standardStream { Self.remove(path) }
    }

    /// Creates a property list, and the missing directories around it. Only the owner may read and write preferences.
    static func make(_ bytes: [UInt8], at path: HostPath) throws(CapsuleError) {
        let isPreference = Array(path.directory.bytes).suffix(Self.preferences.count).elementsEqual(Self.preferences)
        let made = try CreatedDirectories(path.directory)
        try OutputFile(path, replaces: false).with(mode: isPreference ? privateMode : nil).write(bytes)
        made.keep()
    }

    private static let preferences = Array("Library/Preferences".utf8)

    static func remove(_ path: HostPath) {
        try? Syscall.removeFile(path)
    }
}

/// Text files that Capsule makes, such as manual pages.
package enum TextFiles {
    package struct File: Sendable {
        package let directory: String
        package let name: String
        package let text: String

        package init(directory: String = "", name: String, text: String) {
            self.directory = directory
            self.name = name
            self.text = text
        }
    }

    /// Writes files into a directory and directories below it, which are created if they don't exist. A file that exists with the
    /// same text is left as it is.
    /// - Throws: `CapsuleError` with the code `exists` for a file that may not be replaced. Nothing is written then.
    package static func write(
        _ files: [File], into directory: HostPath, replacing: Bool
    ) throws(CapsuleError) {
        var made: [CreatedDirectories] = []
        // The last one is removed first, because it may be inside an earlier one.
        defer { while made.popLast() != nil {} }
        for name in Set(files.map(\.directory)).sorted() {
            let place = name.isEmpty ? directory : directory.appending(Array(name.utf8))
            made.append(try CreatedDirectories(place))
        }
        let wanted = files.map { file in
            let place = file.directory.isEmpty ? directory : directory.appending(Array(file.directory.utf8))
            return (path: place.appending(Array(file.name.utf8)), bytes: Array(file.text.utf8))
        }.filter { !holds($0.path, $0.bytes) }
        for file in wanted { try FileProbe.checkTarget(file.path, as: .file, replacing: replacing, flag: nil) }
        for file in wanted { try OutputFile(file.path, replaces: replacing).write(file.bytes) }
        for directories in made { directories.keep() }
    }

    private static func holds(_ path: HostPath, _ bytes: [UInt8]) -> Bool {
        guard let status = try? Syscall.statusIfThere(path), status.kind == .file, status.size == UInt64(bytes.count),
            let file = try? EditedFile(path, limit: UInt64(bytes.count))
        else { return false }
        return file.bytes == bytes
    }
}

/// Writes values as property lists that people read.
package enum PlistOutput {
    /// Writes a value in an encoding that can hold it: in JSON if the name of the file ends in `.json`.
    /// - Parameter lineDepth: in JSON, the number of containers that may be around a value on a line of its own; nil for any number.
    package static func write(_ value: PlistValue, to output: OutputFile, lineDepth: Int? = nil) throws(CapsuleError) {
        let formats: [PlistFormat] = output.path.isNamedJSON ? [.json] : [.xml, .binary, .json]
        try output.write(try bytes(of: value, for: output.path, in: formats, lineDepth))
    }

    /// Returns the value in the first of the formats that can hold all of it. XML comes first, because people read it and git
    /// shows it. XML can't hold dates with fractions of a second and some characters, which binary can. Only JSON can hold null.
    private static func bytes(
        of value: PlistValue, for path: HostPath, in formats: [PlistFormat], _ lineDepth: Int?
    ) throws(CapsuleError) -> [UInt8] {
        var failure: PlistError?
        for format in formats {
            do throws(PlistError) {
                if format == .json { return try JSONPlistWriter.write(value, lineDepth: lineDepth) }
                return try PlistWriter.write(value, as: format)
            } catch {
                guard error.code == .notRepresentable else { throw CapsuleError(error, in: path) }
                failure = failure ?? error
            }
        }
        guard let failure else { return [] }
        let error = CapsuleError(failure, in: path)
        let hint = "a file name without '.json' writes a property list, which can hold it"
        throw formats == [.json] ? CapsuleError("can't be JSON: \(error.message)", path: path, hint: hint) : error
    }
}

extension HostPath {
    var isNamedJSON: Bool { String(decoding: name, as: UTF8.self).lowercased().hasSuffix(".json") }
}
