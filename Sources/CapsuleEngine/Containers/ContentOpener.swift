import CapsuleCore
import CapsuleFileSystem

/// Opens the files of a container in their order, and remembers where it was. One for each thread.
protocol ContentOpener: AnyObject {
    /// Opens a file; see ``ContentProvider/open(_:number:)``.
    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent
}
