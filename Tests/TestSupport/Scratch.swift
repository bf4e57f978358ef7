import Foundation

/// A directory for one test, deleted when it is released.
package final class Scratch: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("capsule-tests-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the path of `name` in the directory.
    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, and makes its directories.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        let target = self(name)
        try FileManager.default.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: target))
        return target
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

    package func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: self(name)))) }

    package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self(name)) }
}
