import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem
import CapsulePropertyList

/// A property list in a file of this machine, or on standard input.
struct PlistFile {
    /// No longer file is read.
    static let longest: UInt64 = 1 << 30

    let path: HostPath
    let document: PlistDocument
    /// What writes it back; nil for standard input.
    private let edited: EditedFile?

    /// Reads a file; `-` is standard input.
    ///
    /// - Throws: with the place for what is no property list.
    init(_ path: HostPath, isLenient: Bool = false) throws(CapsuleError) {
        let bytes: [UInt8]
        if path == .standardStream {
            self.path = HostPath("standard input")
            edited = nil
            let file = try StandardInput.spool()
            bytes = try CapsuleError.wrapping { () throws(FileSystemError) in
                guard file.length <= Self.longest else { throw .tooLarge("read", file.path) }
                return try file.read(at: 0, count: Int(file.length))
            }
        } else {
            self.path = path
            let file = try CapsuleError.wrapping { () throws(FileSystemError) in try EditedFile(path, limit: Self.longest) }
            edited = file
            bytes = file.bytes
        }
        do throws(PlistError) {
            document = try PlistDocument.read(bytes, isLenient: isLenient)
        } catch {
            throw CapsuleError(error, in: self.path)
        }
    }

    /// The document's bytes with another value.
    func bytes(holding value: PlistValue) throws(CapsuleError) -> [UInt8] {
        do throws(PlistError) {
            return try document.bytes(holding: value)
        } catch {
            throw CapsuleError(error, in: path)
        }
    }

    /// Puts other bytes in the file's place; the same bytes leave it alone.
    ///
    /// - Returns: whether anything was written.
    func replace(with bytes: [UInt8]) throws(CapsuleError) -> Bool {
        if bytes == document.bytes { return false }
        guard let edited else {
            throw CapsuleError(.usage, "standard input can't be written back", hint: "name the result with '--output'")
        }
        try CapsuleError.wrapping { () throws(FileSystemError) in try edited.replace(with: bytes) }
        return true
    }
}

extension CapsuleError {
    /// An error of a property list, with its place in the file.
    init(_ error: PlistError, in path: HostPath) {
        var message = error.message
        if let pointer = error.pointer, !pointer.isEmpty { message += " (at \(pointer))" }
        if let related = error.related { message += ", first at \(related)" }
        var place: String?
        switch error.location {
        case .text(let line, let column)?: place = "\(line):\(column)"
        case let location?: message += " (\(location))"
        case nil: break
        }
        self.init(.failure, message, path: path, hint: error.hint)
        self.place = place
    }

    /// An error of an overlay: about the place in the file it is applied to, or in its own.
    init(_ error: OverlayError, applying overlay: HostPath, to target: HostPath?) {
        var message = error.message
        if let pointer = error.target { message += pointer.isRoot ? "" : " (at \(pointer))" }
        if let source = error.source, !source.isRoot { message += " (in the overlay: \(source))" }
        let isAboutTarget = error.target != nil && target != nil
        self.init(.failure, message, path: isAboutTarget ? target : overlay, hint: error.hint)
        if case .text(let line, let column)? = error.location { place = "\(line):\(column)" }
    }
}
