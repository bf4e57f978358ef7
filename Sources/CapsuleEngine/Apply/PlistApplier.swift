package import CapsuleContainers
package import CapsuleCore
package import CapsuleOverlay
package import CapsulePropertyList
import CapsuleSystem

/// Applies overlays to a property list and replaces it atomically, or reports the changes without making them.
package struct PlistApplier: Sendable {
    package struct Outcome: Sendable {
        /// The value before the change; an empty dictionary if there was no file.
        package let before: PlistValue
        package let after: PlistValue
        package let isChanged: Bool
        package let isWritten: Bool
        package let isUndoWritten: Bool
        package let advice: SimulatorAdvice?
        package let warnings: [CapsuleError]
        package let notes: [(overlay: HostPath, note: OverlayNote)]
        package let skipped: [(overlay: HostPath, reason: String)]
    }

    private let context: OverlayContext
    private let destination: PlistFile.Destination
    private let undo: OutputFile?

    /// - Parameters:
    ///   - undo: the undo file. It is written first, and only if there is a change.
    package init(context: OverlayContext, to destination: PlistFile.Destination = .inPlace, undo: OutputFile? = nil) {
        self.context = context
        self.destination = destination
        self.undo = undo
    }

    /// An overlay, and the file that its error positions refer to; nil for an overlay in a capsule.
    private struct NamedOverlay {
        let overlay: Overlay
        let path: HostPath
        var file: PlistFile?

        func error(_ error: OverlayError, applyingTo target: PlistFile?) -> CapsuleError {
            if let file { return CapsuleError(error, in: file, applyingTo: target) }
            return CapsuleError("\(error)", path: path, hint: error.hint)
        }
    }

    /// Applies overlays one after the other: those in files, and those that a version of a capsule contains.
    /// - Throws: `CapsuleError` for any of the overlays. Nothing is written then.
    package func apply(_ sources: [OverlaySource], to target: HostPath) throws(CapsuleError) -> Outcome {
        try refuseLosing([target.bytes] + sources.map(\.argument))
        var overlays: [NamedOverlay] = []
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

    /// The effect of applying an overlay to the same property list again.
    package enum Repetition: Sendable {
        case nothing
        case change
        case failure(String)
        package var isIdempotent: Bool { if case .nothing = self { true } else { false } }
    }

    package func `repeat`(_ source: OverlaySource, on target: HostPath) throws(CapsuleError) -> Repetition {
        guard target != .standardStream else { throw CapsuleError(.usage, "'--on' reads the target twice: name a file") }
        let once = try apply([source], to: target)
        do throws(CapsuleError) {
            return try apply([source, source], to: target).after == once.after ? .nothing : .change
        } catch {
            return .failure(error.message)
        }
    }

    private var isInPlace: Bool { if case .inPlace = destination { true } else { false } }

    private func steps(of source: OverlaySource, for target: HostPath) throws(CapsuleError) -> [NamedOverlay] {
        let path = HostPath(source.argument)
        switch source.form {
        case .file(let file):
            return [NamedOverlay(overlay: file.overlay, path: file.path, file: file.file)]
        case .package:
            _ = try PlistFile(target)
            throw CapsuleError(
                "is an overlay for containers, but \(target) is a property list", path: path,
                hint: "'capsule overlay show' shows what it changes")
        case .container:
            // Overlays for other files are not meant here.
            let target = context.targetPath
            return try source.packages(for: target).map {
                NamedOverlay(overlay: $0.package.overlay, path: HostPath(Array($0.name.utf8)))
            }
        }
    }

    private func refuseLosing(_ inputs: [[UInt8]]) throws(CapsuleError) {
        let places = InputPaths(inputs)
        if let undo { try places.refuse(undo.path, flag: "--undo") }
        guard case .output(let output) = destination else { return }
        try places.refuse(output.path)
        if let undo { try OutputPaths.refuse([(output.path, "-o"), (undo.path, "--undo")]) }
    }

    /// Returns the target; nil if it does not exist and an overlay may create it.
    private func open(_ target: HostPath, _ overlays: [NamedOverlay]) throws(CapsuleError) -> PlistFile? {
        do throws(CapsuleError) {
            return try PlistFile(target, isEdited: isInPlace)
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
        case .dryRun: return (true, false)
        case .inPlace: try OutputFile.make(bytes, at: target)
        case .output(let output): try output.limited(to: modes).write(bytes)
        }
        return (true, true)
    }

    /// Writes the undo file if there is a change.
    /// - Parameter isRecoded: true if an overlay asked for another encoding.
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
