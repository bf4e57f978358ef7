extension Sequence<TreeEntry> {
    /// The sizes of all together, in bytes; the largest number for a sum beyond it, which no index may pass off as a small one.
    package var totalSize: UInt64 {
        var total: UInt64 = 0
        for entry in self {
            let (sum, overflow) = total.addingReportingOverflow(entry.size)
            if overflow { return .max }
            total = sum
        }
        return total
    }
}
