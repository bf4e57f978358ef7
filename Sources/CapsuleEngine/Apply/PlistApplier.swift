public import CapsuleCore
import CapsuleFileSystem
public import CapsulePropertyList

/// Applies overlays to a property list, in place and at once, or says what that would change.
public struct PlistApplier: Sendable {
    /// What came of it.
    public struct Outcome: Sendable {
        /// The value as it was; an empty dictionary where there was none.
        public let before: PlistValue
        /// The value as it is, or would be.
        public let after: PlistValue
        /// Whether the bytes differ.
        public let isChanged: Bool
        /// Whether a file was written.
        public let isWritten: Bool
        /// Whether what takes the change back was written.
        public let isUndoWritten: Bool
        /// What to do about an app that may write over the change; nil for a file that is not on a simulator.
        public let advice: SimulatorAdvice?
        /// Keys that come twice in the target, with their places.
        public let warnings: [CapsuleError]
        /// What is worth a word, by overlay.
        public let notes: [(overlay: HostPath, note: OverlayNote)]
        /// What was passed over and why, by overlay.
        public let skipped: [(overlay: HostPath, reason: String)]
    }

    private let context: OverlayContext
    private let destination: PlistFile.Destination
    private let undo: OverlayOutput?

    /// An application with these names and conditions.
    ///
    /// - Parameters:
    ///   - context: what conditions and names are answered from.
    ///   - destination: where the result goes.
    ///   - undo: where the overlay goes that takes the change back; it is written first, and only if there is a change.
    public init(context: OverlayContext, to destination: PlistFile.Destination = .inPlace, undo: OverlayOutput? = nil) {
        self.context = context
        self.destination = destination
        self.undo = undo
    }

    /// An overlay, and the file that places in it are told of; nil for one that a capsule carries.
    private struct Step {
        let overlay: Overlay
        let path: HostPath
        var file: PlistFile?

        /// An error of the overlay, or of what it is applied to.
        func error(_ error: OverlayError, applyingTo target: PlistFile?) -> CapsuleError {
            if let file { return CapsuleError(error, in: file, applyingTo: target) }
            return CapsuleError("\(error)", path: path, hint: error.hint)
        }
    }

    /// Applies overlays one after the other: those of files, and those that a capsule's version carries.
    ///
    /// - Throws: an error of any of them; nothing is written then.
    public func apply(_ sources: [OverlaySource], to target: HostPath) throws(CapsuleError) -> Outcome {
        try refuseLosing([target.bytes] + sources.map(\.argument))
        var overlays: [Step] = []
        for source in sources { overlays += try steps(of: source, for: target) }
        let file = try open(target, overlays)
        var value = file?.document.value
        var encoding: PlistFormat?
        var notes: [(HostPath, OverlayNote)] = []
        var skipped: [(HostPath, String)] = []
        for overlay in overlays {
            var isApplied = false
            do throws(OverlayError) {
                let result = try overlay.overlay.applied(to: value, in: context)
                if !result.isUntouched { value = result.value }
                encoding = result.encoding ?? encoding
                notes += result.notes.map { (overlay.path, $0) }
                skipped += result.skipped.map { (overlay.path, $0) }
                isApplied = !result.isUntouched
            } catch {
                throw overlay.error(error, applyingTo: file)
            }
            if context.requires, !isApplied, let reason = skipped.last?.1 {
                throw CapsuleError.notApplied(reason, "\(overlay.path)")
            }
        }
        let before = file?.document.value ?? .dictionary(PlistDictionary())
        var written = (isChanged: false, isWritten: false)
        var isUndoWritten = false
        if let value {
            isUndoWritten = try writeUndo(
                from: value, to: before, file, isRecoded: encoding != nil && encoding != file?.document.format)
            do throws(CapsuleError) {
                written = try write(value, file, as: encoding, to: target, closedAs: sources.compactMap(\.fileMode))
            } catch {
                if isUndoWritten { undo?.withdraw() }
                throw error
            }
        }
        return Outcome(
            before: before, after: value ?? before, isChanged: written.isChanged, isWritten: written.isWritten,
            isUndoWritten: isUndoWritten, advice: isInPlace ? file?.advice : nil, warnings: file?.warnings ?? [], notes: notes,
            skipped: skipped)
    }

    private var isInPlace: Bool { if case .inPlace = destination { true } else { false } }

    private func steps(of source: OverlaySource, for target: HostPath) throws(CapsuleError) -> [Step] {
        let path = HostPath(source.argument)
        switch source.form {
        case .file(let file):
            return [Step(overlay: file.overlay, path: file.path, file: file.file)]
        case .package:
            _ = try PlistFile(target)
            throw CapsuleError(
                "is an overlay for containers, but \(target) is a property list", path: path,
                hint: "'capsule overlay show' shows what it changes")
        case .container:
            // Of the overlays of other files none is meant here.
            let target = context.targetPath
            return try source.packages(for: target).map { Step(overlay: $0.package.overlay, path: HostPath(Array($0.name.utf8))) }
        }
    }

    /// What is written must not take the place of what is changed, or of what changes it.
    private func refuseLosing(_ inputs: [[UInt8]]) throws(CapsuleError) {
        let places = ReadPlaces(inputs)
        if let undo { try places.refuse(undo.path, flag: "--undo") }
        guard case .output(let output, _) = destination else { return }
        try places.refuse(output)
        if let undo { try OutputPlaces.refuse([(output, "-o"), (undo.path, "--undo")]) }
    }

    /// The target; nil if it is missing and an overlay may make it.
    private func open(_ target: HostPath, _ overlays: [Step]) throws(CapsuleError) -> PlistFile? {
        do throws(CapsuleError) {
            return try PlistFile(target)
        } catch {
            let mayCreate = overlays.contains { $0.overlay.targets.contains { $0.create != nil } }
            guard error.code == .notFound, mayCreate else { throw error }
            return nil
        }
    }

    private func write(
        _ value: PlistValue, _ file: PlistFile?, as encoding: PlistFormat?, to target: HostPath, closedAs modes: [FileMode]
    ) throws(CapsuleError) -> (isChanged: Bool, isWritten: Bool) {
        if let file { return try file.write(value, as: encoding, to: destination, closedAs: modes) }
        let bytes: [UInt8]
        do throws(PlistError) {
            bytes = try PlistWriter.write(value, as: encoding ?? .xml)
        } catch {
            throw CapsuleError(error, in: target)
        }
        switch destination {
        case .nowhere: return (true, false)
        case .inPlace: try OutputFile.make(bytes, at: target)
        case .output(let output, let replaces):
            let mode = FileMode(CreationMask.fileMode).closed(as: modes)
            try OutputFile.write(bytes, to: output, replacing: replaces, mode: mode)
        }
        return (true, true)
    }

    /// - Parameter isRecoded: whether an overlay asked for another encoding.
    /// - Returns: whether there was anything to write.
    private func writeUndo(
        from after: PlistValue, to before: PlistValue, _ file: PlistFile?, isRecoded: Bool
    ) throws(CapsuleError) -> Bool {
        guard let undo else { return false }
        guard let file else {
            throw CapsuleError(
                "an overlay can't undo the creation of a property list", path: undo.path, hint: "delete it instead")
        }
        if after == before, !isRecoded { return false }
        var overlay: Overlay
        do throws(OverlayError) {
            overlay = try Overlay(turning: after, into: before)
        } catch {
            throw CapsuleError(error, in: file)
        }
        if isRecoded, PlistFormat.xmlOrBinary.contains(file.document.format) {
            overlay.targets[0].encode = file.document.format
        }
        try undo.forOwner.write(overlay)
        return true
    }
}
