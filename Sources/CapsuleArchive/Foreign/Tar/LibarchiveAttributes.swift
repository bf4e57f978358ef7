import CArchive
import CapsuleCore
import CapsuleFileSystem

/// The extended attributes of a tar entry, under their portable names.
enum LibarchiveAttributes {
    /// Reads `SCHILY.xattr` and `LIBARCHIVE.xattr` records; where both have a name, they have it alike.
    static func read(_ entry: OpaquePointer) -> ExtendedAttributes.Reading {
        var reading = ExtendedAttributes.Reading()
        var room = ExtendedAttribute.maximumTotalLength
        var names: Set<[UInt8]> = []
        archive_entry_xattr_reset(entry)
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var count = 0
        while case .ok = LibarchiveStatus(archive_entry_xattr_next(entry, &name, &value, &count)) {
            guard let name, let portable = portableName(name), names.insert(portable).inserted else { continue }
            let length = value == nil ? 0 : count
            guard length <= ExtendedAttribute.maximumValueLength, length + portable.count <= room,
                portable.count <= ForeignLimits.attributeNameLength
            else {
                reading.tooLong.append(Array(portable.prefix(ForeignLimits.attributeNameLength)))
                continue
            }
            room -= length + portable.count
            let bytes = [UInt8](UnsafeRawBufferPointer(start: value, count: length))
            reading.attributes.append(ExtendedAttribute(name: portable, value: bytes))
        }
        reading.attributes.sort { $0.name.lexicographicallyPrecedes($1.name) }
        return reading
    }

    /// nil for a name that is never kept.
    private static func portableName(_ name: UnsafePointer<CChar>) -> [UInt8]? {
        var count = 0
        while name[count] != 0 { count += 1 }
        let portable = ExtendedAttribute.portableName(fromLinux: [UInt8](UnsafeRawBufferPointer(start: name, count: count)))
        return portable.isEmpty || ExtendedAttribute.isDenied(portable) ? nil : portable
    }
}
