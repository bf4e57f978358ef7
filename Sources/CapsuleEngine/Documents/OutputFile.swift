public import CapsuleCore
import CapsuleFileSystem
public import CapsulePropertyList

/// Writes bytes as a file that appears whole or not at all, or to standard output.
enum OutputFile {
    /// For its owner alone.
    static let privateMode = FileMode(0o600)

    /// - Parameters:
    ///   - output: `-` is standard output.
    ///   - mode: nil for what the user's mask leaves.
    static func write(
        _ bytes: [UInt8], to output: HostPath, as kind: OutputKind = .file, replacing: Replacement, mode: FileMode? = nil
    ) throws(CapsuleError) {
        if output == .standardStream {
            let stream = StandardOutput()
            guard !stream.isTerminal || PlistFormat.sniff(bytes) != .binary else {
                throw CapsuleError(
                    "refusing to write a binary property list to a terminal", hint: "redirect it to a file or a pipe")
            }
            return try stream.writeResult(bytes)
        }
        let replaces = try FileProbe.checkTarget(output, as: kind, replacing: replacing)
        try CapsuleError.wrapping { () throws(FileSystemError) in
            let staged = try StagedFile(for: output)
            let written: Result<Void, FileSystemError> = bytes.withUnsafeBytes { bytes in
                Result { () throws(FileSystemError) in try staged.write(bytes, at: 0) }
            }
            try written.get()
            try staged.commit(replacing: replaces, mode: mode)
        }
    }

    /// Makes a property list, and the directories that are missing around it; preferences are for nobody else.
    static func make(_ bytes: [UInt8], at path: HostPath) throws(CapsuleError) {
        let isPreference = Array(path.directory.bytes).suffix(Self.preferences.count).elementsEqual(Self.preferences)
        let made = try CapsuleError.wrapping { () throws(FileSystemError) in try MadeDirectories(path.directory) }
        try write(bytes, to: path, replacing: .nothing, mode: isPreference ? privateMode : nil)
        made.keep()
    }

    private static let preferences = Array("Library/Preferences".utf8)

    /// Removes a file that was written; it need not be there.
    static func remove(_ path: HostPath) {
        try? Syscall.removeFile(path)
    }
}

/// Text files of our own making.
public enum TextFiles {
    /// One of them.
    public struct File: Sendable {
        /// The directory that it goes to, below that of all; empty for that itself.
        public let directory: String
        /// Its name.
        public let name: String
        /// What it holds.
        public let text: String

        /// A file of that name and text.
        public init(directory: String = "", name: String, text: String) {
            self.directory = directory
            self.name = name
            self.text = text
        }
    }

    /// Writes files into a directory and directories below it, which are made if they are missing. One that is there with the same
    /// text stays as it is.
    ///
    /// - Throws: with the code `exists` for a file that may not be replaced; nothing is written then.
    public static func write(
        _ files: [File], into directory: HostPath, replacing: Replacement
    ) throws(CapsuleError) {
        var made: [MadeDirectories] = []
        // The last one is taken away first: it may be in one before it.
        defer { while made.popLast() != nil {} }
        for name in Set(files.map(\.directory)).sorted() {
            let place = name.isEmpty ? directory : directory.appending(Array(name.utf8))
            made.append(try CapsuleError.wrapping { () throws(FileSystemError) in try MadeDirectories(place) })
        }
        let wanted = files.map { file in
            let place = file.directory.isEmpty ? directory : directory.appending(Array(file.directory.utf8))
            return (path: place.appending(Array(file.name.utf8)), bytes: Array(file.text.utf8))
        }.filter { !holds($0.path, $0.bytes) }
        for file in wanted { try FileProbe.checkTarget(file.path, as: .file, replacing: replacing, flag: nil) }
        for file in wanted { try OutputFile.write(file.bytes, to: file.path, replacing: replacing) }
        for directories in made { directories.keep() }
    }

    /// Whether a plain file holds just these bytes.
    private static func holds(_ path: HostPath, _ bytes: [UInt8]) -> Bool {
        guard let status = try? Syscall.statusIfThere(path), status.kind == .file, status.size == UInt64(bytes.count),
            let file = try? EditedFile(path, limit: UInt64(bytes.count))
        else { return false }
        return file.bytes == bytes
    }
}

/// Writes values as property lists for people.
public enum PlistOutput {
    /// Writes a value in an encoding that can hold it.
    ///
    /// - Parameters:
    ///   - value: what is written.
    ///   - path: `-` is standard output.
    ///   - replacing: what it may take the place of.
    ///   - isNamed: whether a name that ends in `.json` asks for JSON, as for files that are read the same in any encoding.
    ///   - lineDepth: in JSON, how many containers may be around what has a line of its own; nil for any number.
    public static func write(
        _ value: PlistValue, to path: HostPath, replacing: Replacement, isNamed: Bool = false, lineDepth: Int? = nil
    ) throws(CapsuleError) {
        try write(value, to: path, replacing: replacing, mode: nil, isNamed: isNamed, lineDepth: lineDepth)
    }

    /// - Parameter mode: nil for what the user's mask leaves.
    static func write(
        _ value: PlistValue, to path: HostPath, replacing: Replacement, mode: FileMode?, isNamed: Bool = false,
        lineDepth: Int? = nil
    ) throws(CapsuleError) {
        let isJSON = isNamed && path.isNamedJSON
        try OutputFile.write(
            try bytes(of: value, for: path, in: isJSON ? [.json] : [.xml, .binary, .json], lineDepth), to: path,
            replacing: replacing, mode: mode)
    }

    /// In the first format that can hold all. XML, which people read and git shows, where it can hold all: dates of a part of a second and some characters it can't,
    /// and binary holds; null only JSON has.
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
    /// Whether the name ends in `.json`, in any case.
    var isNamedJSON: Bool { String(decoding: name, as: UTF8.self).lowercased().hasSuffix(".json") }
}

/// Writes overlays into files.
public struct OverlayOutput: Sendable {
    /// Where it goes; `-` is standard output.
    public let path: HostPath
    /// What may go that has its name.
    public let replaces: Replacement
    /// The file's mode; nil for what the user's mask and the containers leave.
    private(set) var mode: FileMode?

    /// An output to a file, or to standard output.
    public init(_ path: HostPath, replaces: Replacement) {
        self.path = path
        self.replaces = replaces
    }

    /// The same file, for nobody who can't read what the overlay is made of.
    func limited(to modes: [FileMode]) -> OverlayOutput {
        var output = self
        output.mode = (mode ?? FileMode(CreationMask.fileMode)).closed(as: modes)
        return output
    }

    /// The same file, for its owner alone: what takes a change back holds what was there.
    var forOwner: OverlayOutput {
        var output = self
        output.mode = OutputFile.privateMode
        return output
    }

    /// Writes an overlay: a plain one as it is, any other as a document.
    public func write(_ overlay: Overlay) throws(CapsuleError) {
        // A plain one in JSON would be read as a merge patch, which replaces arrays.
        let isPlain = overlay.form == .plain && !path.isNamedJSON
        let value = isPlain ? overlay.targets.first?.merge ?? .dictionary(PlistDictionary()) : overlay.document
        try PlistOutput.write(value, to: path, replacing: replaces, mode: mode, isNamed: true)
    }

    /// Takes back what was written, if it replaced nothing.
    func withdraw() {
        if replaces == .nothing, path != .standardStream { OutputFile.remove(path) }
    }
}
