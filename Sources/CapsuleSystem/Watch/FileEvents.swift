package import CapsuleCore

/// The names that changed in a watched directory. They are enough to find what to read again.
package struct FileEvents: Hashable, Sendable {
    /// The last components of the paths that changed. What is below a directory that moved changed with it.
    package private(set) var names: Set<[UInt8]> = []
    /// True if the system lost events, so that anything may have changed.
    package private(set) var isAnything = false

    package init() {}

    package var isEmpty: Bool { names.isEmpty && !isAnything }

    /// More names are not worth their memory.
    private static let mostNames = 100_000

    package mutating func add(_ name: [UInt8]) {
        if isAnything { return }
        names.insert(name)
        if names.count >= Self.mostNames { addAnything() }
    }

    package mutating func addAnything() {
        isAnything = true
        names = []
    }

    package mutating func formUnion(_ other: FileEvents) {
        if other.isAnything { addAnything() }
        for name in other.names { add(name) }
    }

    /// Returns true if the content of a path may have changed.
    package func mayConcern(_ path: RelativePath) -> Bool {
        if isAnything { return true }
        return path.components.contains { names.contains(Array($0)) }
    }
}
