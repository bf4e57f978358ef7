/// How large a binary property list will be, and how wide its references and offsets are.
///
/// Widths are those that CoreFoundation chooses and insists on: the number of objects must fit into a reference, and the
/// offset of the offset table into an offset. (CoreFoundation CFBinaryPList.c)
struct BinaryPlistLayout {
    let root: Int
    let referenceBytes: Int
    let offsetBytes: Int
    /// The trailer's sixth byte, which readers ignore.
    let sortVersion: UInt8
    let byteCount: Int

    /// The layout of a document with so many objects, bytes besides references, and references.
    ///
    /// `old` is the trailer of the document that it stands in for, whose widths are kept as long as they are wide enough.
    /// Throws `limitExceeded`.
    init(
        objects: Int, bytes: Int, references: Int, root: Int, replacing old: BinaryPlistTrailer? = nil,
        limits: PlistLimits
    ) throws(PlistError) {
        self.root = root
        sortVersion = old?.sortVersion ?? 0
        referenceBytes = Self.width(of: objects, old?.referenceBytes)
        let table = BinaryPlistTrailer.headerBytes + bytes + references * referenceBytes
        offsetBytes = Self.width(of: table, old?.offsetBytes)
        byteCount = table + objects * offsetBytes + BinaryPlistTrailer.byteCount
        guard byteCount <= limits.outputBytes else { throw Self.sizeFailure(limits) }
    }

    private static func width(of number: Int, _ old: Int?) -> Int {
        if let old, old >= 8 || number >> (8 * old) == 0 { return old }
        return BinaryMarker.width(of: UInt64(number))
    }

    static func sizeFailure(_ limits: PlistLimits) -> PlistError {
        PlistError(
            .limitExceeded, "the binary property list would be larger than \(limits.outputBytes) bytes", pointer: "")
    }
}
