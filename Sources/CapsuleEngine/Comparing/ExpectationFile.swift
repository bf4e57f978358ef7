public import CapsuleCore
import CapsulePropertyList

/// An expectation with the file that it is in.
public struct ExpectationFile: Sendable {
    /// What a run is expected to change.
    public let expectation: Expectation
    private let file: PlistFile

    /// Its name in messages.
    public var path: HostPath { file.path }

    /// - Throws: with the place for what is no such file.
    public init(_ path: HostPath) throws(CapsuleError) {
        file = try PlistFile(path)
        try file.refuseDuplicateKeys()
        expectation = try Self.expectation(file.document.value, file)
    }

    private static func expectation(_ value: PlistValue, _ file: PlistFile) throws(CapsuleError) -> Expectation {
        do throws(OverlayError) {
            return try Expectation(value)
        } catch {
            throw CapsuleError(error, inDocument: file)
        }
    }

    /// Brings the file up to date with a comparison. Only the bytes of what changes are rewritten.
    ///
    /// - Throws: for a comparison that is not complete, or a file that can't be written. The file is unchanged then.
    public func update(
        with diff: ContainerDiff
    ) throws(CapsuleError) -> (update: ExpectationUpdate, expectation: Expectation) {
        let update: ExpectationUpdate
        do throws(OverlayError) {
            update = try ExpectationUpdate(file.document.value, expectation, diff)
        } catch {
            throw CapsuleError(error.message, path: file.path, hint: error.hint)
        }
        let updated = try Self.expectation(update.document, file)
        _ = try file.write(update.document, to: .inPlace)
        return (update, updated)
    }
}
