public import CapsuleCore
import CapsuleFileSystem
public import CapsulePropertyList

/// Applies overlays to a property list, in place and at once, or says what that would change.
public struct PlistApplier: Sendable {
    /// What is done with the result.
    public enum Mode: Sendable {
        /// The file is replaced, if anything changes.
        case inPlace
        /// The result goes to another file; `-` is standard output.
        case output(HostPath, replaces: Bool)
        /// Nothing is written.
        case dryRun
    }

    /// What came of it.
    public struct Outcome: Sendable {
        /// The value before and after.
        public let before: PlistValue
        public let after: PlistValue
        /// Whether the bytes differ.
        public let isChanged: Bool
        /// Whether a file was written.
        public let isWritten: Bool
        /// What is worth a word, by overlay.
        public let notes: [(overlay: HostPath, note: OverlayNote)]
        /// What was passed over and why, by overlay.
        public let skipped: [(overlay: HostPath, reason: String)]
    }

    private let context: OverlayContext
    private let mode: Mode

    /// An application with these names and conditions.
    public init(context: OverlayContext, mode: Mode = .inPlace) {
        self.context = context
        self.mode = mode
    }

    /// Applies overlays one after the other.
    ///
    /// - Throws: an error of any of them; nothing is written then.
    public func apply(_ overlays: [OverlayFile], to target: HostPath) throws(CapsuleError) -> Outcome {
        let file = try open(target, overlays)
        var value = file?.document.value
        var encoding: PlistFormat?
        var notes: [(HostPath, OverlayNote)] = []
        var skipped: [(HostPath, String)] = []
        for overlay in overlays {
            do throws(OverlayError) {
                let result = try overlay.overlay.applied(to: value, in: context)
                if !result.isUntouched { value = result.value }
                encoding = result.encoding ?? encoding
                notes += result.notes.map { (overlay.path, $0) }
                skipped += result.skipped.map { (overlay.path, $0) }
            } catch {
                throw CapsuleError(error, applying: overlay.path, to: target)
            }
        }
        let before = file?.document.value ?? .dictionary(PlistDictionary())
        guard let value else {
            return Outcome(
                before: before, after: before, isChanged: false, isWritten: false, notes: notes, skipped: skipped)
        }
        let bytes = try self.bytes(of: value, file, as: encoding, for: target)
        let isChanged = bytes != file?.document.bytes
        let isWritten = try write(bytes, file, isChanged: isChanged, to: target)
        return Outcome(
            before: before, after: value, isChanged: isChanged, isWritten: isWritten, notes: notes, skipped: skipped)
    }

    /// The target; nil if it is missing and an overlay may make it.
    private func open(_ target: HostPath, _ overlays: [OverlayFile]) throws(CapsuleError) -> PlistFile? {
        do throws(CapsuleError) {
            return try PlistFile(target)
        } catch {
            let mayCreate = overlays.contains { $0.overlay.targets.contains { $0.create != nil } }
            guard error.code == .notFound, mayCreate else { throw error }
            return nil
        }
    }

    private func bytes(
        of value: PlistValue, _ file: PlistFile?, as encoding: PlistFormat?, for target: HostPath
    ) throws(CapsuleError) -> [UInt8] {
        if let file, encoding == nil || encoding == file.document.format { return try file.bytes(holding: value) }
        do throws(PlistError) {
            return try encoding == .binary ? BinaryPlistWriter.write(value) : XMLPlistWriter.write(value)
        } catch {
            throw CapsuleError(error, in: target)
        }
    }

    private func write(
        _ bytes: [UInt8], _ file: PlistFile?, isChanged: Bool, to target: HostPath
    ) throws(CapsuleError) -> Bool {
        switch mode {
        case .dryRun:
            return false
        case .inPlace:
            if let file { return try file.replace(with: bytes) }
            try OutputFile.write(bytes, to: target, replacing: false)
            return true
        case .output(let output, let replaces):
            try OutputFile.write(bytes, to: output, replacing: replaces)
            return true
        }
    }
}
