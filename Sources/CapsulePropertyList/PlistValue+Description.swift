extension PlistValue: CustomStringConvertible {
    /// A rendering for test failures and logs, on one line and with an ellipsis after some fifty values.
    ///
    /// It is bounded because a shared object of a binary property list may expand without end.
    public var description: String {
        line()
    }
}

extension PlistValue: CustomReflectable {
    /// No children: a mirror that followed shared containers would never end.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
