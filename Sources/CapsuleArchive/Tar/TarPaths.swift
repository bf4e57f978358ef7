package import CapsuleCore

/// The paths of a version's entries in its tar stream.
package struct TarPaths: Sendable {
    /// `NAME.xcappdata` or `NAME`.
    package let top: [UInt8]
    private let layout: ContainerLayout
    private static let slash = UInt8(ascii: "/")
    private static let appData = Array("AppData/".utf8)

    package init(name: [UInt8], layout: ContainerLayout) {
        self.layout = layout
        top = layout == .container ? name + Array(".xcappdata".utf8) : name
    }

    /// Returns the whole path of an entry, with a trailing `/` for a directory.
    package func path(of entry: TreeEntry) -> [UInt8] {
        var path = top
        path.append(Self.slash)
        if layout == .container, entry.root == .tree { path += Self.appData }
        path += entry.path.bytes
        if entry.kind == .directory, !entry.path.isRoot { path.append(Self.slash) }
        return path
    }

    /// Returns the indices of `entries`, which are in the order of the index, in the order of the stream.
    ///
    /// - Parameter isTaken: returns true if an entry is to be included.
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
        // The path of the top directory is empty here and would follow names whose first byte is less than a slash.
        if left.path.isRoot || right.path.isRoot { return left.path.isRoot && !right.path.isRoot }
        if left.root == right.root || layout == .directory {
            return TarOrder.isOrdered(
                left.path.bytes, left.kind == .directory, before: right.path.bytes, right.kind == .directory)
        }
        // Entries of different roots are rarely compared: only the bundle's own few entries often meet the others.
        return TarOrder.isOrdered(path(of: left), false, before: path(of: right), false)
    }
}
