package import CapsuleCore

/// The paths of a version's entries in its tar stream.
package struct StreamNames: Sendable {
    /// `NAME.xcappdata` or `NAME`.
    package let top: [UInt8]
    private let layout: ContainerLayout
    private static let slash = UInt8(ascii: "/")
    private static let appData = Array("AppData/".utf8)

    package init(name: [UInt8], layout: ContainerLayout) {
        self.layout = layout
        top = layout == .container ? name + Array(".xcappdata".utf8) : name
    }

    /// The whole path of an entry, a directory's with a closing `/`.
    package func path(of entry: TreeEntry) -> [UInt8] {
        var path = top
        path.append(Self.slash)
        if layout == .container, entry.root == .tree { path += Self.appData }
        path += entry.path.bytes
        if entry.kind == .directory, !entry.path.isRoot { path.append(Self.slash) }
        return path
    }

    /// The places of `entries`, which are in index order, in the order of the stream.
    ///
    /// - Parameter isTaken: whether an entry has a place in it.
    package func order(
        of entries: some RandomAccessCollection<TreeEntry>, where isTaken: (Int) -> Bool = { _ in true }
    ) -> [UInt32] {
        var order = (0..<UInt32(entries.count)).filter { isTaken(Int($0)) }
        let start = entries.startIndex
        order.sort {
            isOrdered(entries[entries.index(start, offsetBy: Int($0))], before: entries[entries.index(start, offsetBy: Int($1))])
        }
        return order
    }

    private func isOrdered(_ left: TreeEntry, before right: TreeEntry) -> Bool {
        // The top directory's path is empty here, and would come behind names that begin with less than a slash.
        if left.path.isRoot || right.path.isRoot { return left.path.isRoot && !right.path.isRoot }
        if left.root == right.root || layout == .directory {
            return TarOrder.isOrdered(
                left.path.bytes, left.kind == .directory, before: right.path.bytes, right.kind == .directory)
        }
        // Across roots only the bundle's own handful of entries meets the others often.
        return TarOrder.isOrdered(path(of: left), false, before: path(of: right), false)
    }
}
