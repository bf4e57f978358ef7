import CapsuleCore
import CapsulePropertyList

extension CapsuleError {
    /// An error of a property list, with its place in the file.
    init(_ error: PlistError, in path: HostPath) {
        var message = error.message
        if let pointer = error.pointer, !pointer.isEmpty { message += " (at \(pointer))" }
        var place: String?
        switch error.location {
        case .text(let line, let column)?: place = "\(line):\(column)"
        case let location?: message += " (\(location))"
        case nil: break
        }
        self.init(.failure, message, path: path, hint: error.hint)
        self.place = place
    }

    /// What is worth a word about a property list, with its place: `Info.plist:3:4: duplicate key …`.
    static func note(of warning: PlistError, in path: HostPath) -> String {
        let error = CapsuleError(warning, in: path)
        return [path.description, error.place, " " + error.message].compactMap { $0 }.joined(separator: ":")
    }

    /// An error of an overlay: about the place in the file it is applied to, or in its own.
    ///
    /// - Parameter target: the file that was to be changed; nil where there is none, or it is missing.
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
            message += " (\(source) of \(overlay.path)\(Self.place(sourceLocation).map { ":" + $0 } ?? ""))"
        }
        self.init(.failure, message, path: target.path, hint: error.hint)
        place = Self.place(target.document.location(of: pointer))
    }

    /// An error of a document that has a form of its own, and is no overlay.
    init(_ error: OverlayError, inDocument file: PlistFile) {
        let pointer = [error.source, error.target].compactMap { $0 }.first { !$0.isRoot }
        let location = error.location ?? pointer.flatMap { file.document.location(of: $0) }
        self.init(
            .failure, error.message + (pointer.map { " (at \($0))" } ?? ""), path: file.path, hint: error.hint)
        place = Self.place(location)
    }

    /// A note on a place of a property list.
    init(_ note: OverlayNote, in file: PlistFile) {
        self.init(.failure, note.text, path: file.path, hint: note.hint)
        place = Self.place(note.target.flatMap { file.document.location(of: $0) })
    }

    /// What can't be merged in a property list of a container.
    init(_ error: OverlayError, inMergeOf path: RelativePath) {
        let pointer = error.target.flatMap { $0.isRoot ? nil : " (at \($0))" } ?? ""
        self.init(.failure, error.message + pointer, path: HostPath(path.bytes), hint: error.hint)
    }

    private static func place(_ location: PlistLocation?) -> String? {
        guard case .text(let line, let column)? = location else { return nil }
        return "\(line):\(column)"
    }
}
