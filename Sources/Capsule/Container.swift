import CapsuleContainers
public import CapsuleCore
import CapsuleEngine
import CapsuleOverlay
public import CapsulePropertyList

/// The error of this library: a code, a message, and the file or entry that it is about.
///
/// Its `description` is for logs and assertions. Its `hint` is for people at a command line, and may name flags of the tool `capsule`.
public typealias CapsuleError = CapsuleCore.CapsuleError

/// A value of a property list, as in the values of a ``Change``.
public typealias PlistValue = CapsulePropertyList.PlistValue

/// An app's data: a bundle that Xcode downloaded, a directory, a capsule, an archive, or an app in a simulator.
///
/// A container is named as on the command line. Nothing is opened until something is done with it:
///
///     let before: Container = "Gifs-before.xcappdata"
///     let lastNight = Container("runs.capsule@nightly")
///     let booted: Container = "sim:booted/com.example.gifs"
public struct Container: Hashable, Sendable {
    /// The bytes of the name.
    let name: [UInt8]

    /// Creates a container from its name: a path, `FILE@VERSION`, or `sim:[DEVICE/]BUNDLE-ID`.
    public init(_ name: String) {
        self.name = Array(name.utf8)
    }

    /// Creates a container from a name that need not be UTF-8.
    public init(bytes: some Sequence<UInt8>) {
        name = Array(bytes)
    }

    /// Returns the container for the use cases, and the warnings that opening it adds.
    func resolved() -> (container: CapsuleContainers.Container, warnings: WarningLog) {
        let warnings = WarningLog()
        return (CapsuleContainers.Container(name) { warnings.add($0) }, warnings)
    }

    /// Returns the directory of a container that can be changed.
    ///
    /// - Throws: ``CapsuleError`` for a capsule or an archive, and for a simulator or an app that does not exist.
    func liveDirectory() throws(CapsuleError) -> HostPath { try resolved().container.liveDirectory() }
}

extension Container: ExpressibleByStringLiteral {
    /// Creates a container from its name.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}

extension Container: CustomStringConvertible {
    /// The name. Bytes that are not UTF-8 are replaced.
    public var description: String { HostPath(name).description }
}

/// The use of the machine by one operation.
enum Work {
    /// One thread for each processor.
    static var jobs: Int { min(HostProcess.processors, 256) }

    /// Returns the circumstances in which overlays are applied.
    static func context(values: [String: String]) -> OverlayContext {
        .files(values: values, expands: !values.isEmpty)
    }

    /// Returns overlays by their paths.
    static func overlays(_ paths: [String], _ warnings: WarningLog) throws(CapsuleError) -> [OverlaySource] {
        var sources: [OverlaySource] = []
        for path in paths { sources.append(try OverlaySource(Array(path.utf8)) { warnings.add($0) }) }
        return sources
    }

    /// Returns patterns for paths in a container.
    ///
    /// - Throws: ``CapsuleError`` with the code `usage` for a pattern that is not valid.
    static func patterns(_ texts: [String]) throws(CapsuleError) -> [Glob] {
        var patterns: [Glob] = []
        for text in texts { patterns.append(try Glob(argument: Array(text.utf8))) }
        return patterns
    }
}
