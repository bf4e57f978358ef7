/// What a Core Data blob that may be in a file begins with.
enum ExternalReference {
    private static let inline: UInt8 = 1
    private static let file: UInt8 = 2
    private static let nameLength = 36

    /// The name of the file with the content; nil unless the blob as a whole is 0x02 and a UUID, with a NUL behind it
    /// or without.
    static func name(_ blob: UnsafeRawBufferPointer) -> String? {
        guard blob.first == file, blob.dropFirst(nameLength + 1).elementsEqual([0]) || blob.count == nameLength + 1 else {
            return nil
        }
        let name = blob[1...nameLength]
        for (place, byte) in name.enumerated() {
            let isHyphen = [8, 13, 18, 23].contains(place)
            guard isHyphen ? byte == UInt8(ascii: "-") : isHexadecimal(byte) else { return nil }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The content of a blob that could be in a file and is not; nil for other blobs.
    static func content(_ blob: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        blob.first == inline ? UnsafeRawBufferPointer(rebasing: blob.dropFirst()) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
