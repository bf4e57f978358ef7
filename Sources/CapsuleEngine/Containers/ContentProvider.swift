import CapsuleCore
import CapsuleFileSystem

/// Gives the bytes of a container's files, wherever they are.
protocol ContentProvider: Sendable {
    /// Whether files can change while they are read.
    var isLive: Bool { get }

    /// Opens a file.
    ///
    /// - Parameter number: its place among the container's entries.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent

    /// Opens files one after the other, for one thread.
    func makeOpener() -> any ContentOpener
}

extension ContentProvider {
    func makeOpener() -> any ContentOpener { PlainOpener(self) }
}
