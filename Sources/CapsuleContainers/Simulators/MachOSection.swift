import CapsuleCore

/// Finds a section in a Mach-O executable: thin or fat, 64 bit, in either byte order. The executable is foreign, so every offset
/// and size is checked against the file before anything is read.
struct MachOSection {
    let segment: String
    let name: String
    /// The most bytes that the section may have.
    let limit: UInt64

    /// Reads some bytes of an executable: the offset and the number of bytes, which are in the file.
    typealias Read = (_ offset: UInt64, _ count: Int) throws(CapsuleError) -> [UInt8]

    /// Returns the section's bytes, from the first architecture that has it; nil if there is none, or if the file is not a 64-bit
    /// Mach-O file.
    /// - Parameter size: the number of bytes in the file.
    /// - Throws: an error if the file is cut short or damaged, or if the section is longer than the limit.
    func read(size: UInt64, _ read: Read) throws(CapsuleError) -> [UInt8]? {
        for slice in try Self.slices(0..<size, read) {
            if let found = try section(in: slice, read) { return try Self.bytes(found, read) }
        }
        return nil
    }

    private static let mostArchitectures: UInt64 = 64
    private static let mostCommandBytes: UInt64 = 1 << 20
    private static let damaged = CapsuleError("the executable is cut short or damaged")

    /// Returns the part of the file for each architecture: the file itself if it is thin.
    private static func slices(_ file: Range<UInt64>, _ read: Read) throws(CapsuleError) -> [Range<UInt64>] {
        guard file.count >= 8 else { return [] }
        let start = try bytes(0..<8, read)
        for isLittle in [false, true] {
            let header = Fields(bytes: start, isLittle: isLittle)
            let magic = header.word(0)
            guard magic == 0xcafe_babe || magic == 0xcafe_babf else { continue }
            let isWide = magic == 0xcafe_babf
            let (count, length): (UInt64, UInt64) = (header.word(4), isWide ? 32 : 20)
            guard count <= mostArchitectures else { throw damaged }
            let table = Fields(bytes: try bytes(part(of: file, at: 8, count * length), read), isLittle: isLittle)
            var slices: [Range<UInt64>] = []
            for at in stride(from: 0, to: table.bytes.count, by: Int(length)) {
                let (offset, size) =
                    isWide ? (table.long(at + 8), table.long(at + 16)) : (table.word(at + 8), table.word(at + 12))
                slices.append(try part(of: file, at: offset, size))
            }
            return slices
        }
        return [file]
    }

    /// Returns the place of the section in an architecture's part of the file.
    private func section(in slice: Range<UInt64>, _ read: Read) throws(CapsuleError) -> Range<UInt64>? {
        guard slice.count >= 32 else { return nil }
        let start = try Self.bytes(Self.part(of: slice, at: 0, 32), read)
        guard let header = [true, false].map({ Fields(bytes: start, isLittle: $0) }).first(where: { $0.word(0) == 0xfeed_facf })
        else { return nil }
        let (count, length) = (header.word(16), header.word(20))
        guard length <= Self.mostCommandBytes else { throw Self.damaged }
        let commands = Fields(bytes: try Self.bytes(Self.part(of: slice, at: 32, length), read), isLittle: header.isLittle)
        var at = 0
        for _ in 0..<count {
            // Each command has at least 8 bytes, so their size limits their number.
            guard commands.bytes.count - at >= 8 else { throw Self.damaged }
            let (command, size) = (commands.word(at), Int(commands.word(at + 4)))
            guard size >= 8, size <= commands.bytes.count - at else { throw Self.damaged }
            if command == Self.segmentCommand, let place = try section(in: commands, at: at, size) {
                guard place.size <= limit else { throw CapsuleError("the section \(name) of the executable is too large") }
                return try Self.part(of: slice, at: place.offset, place.size)
            }
            at += size
        }
        return nil
    }

    private static let segmentCommand: UInt64 = 0x19

    /// Returns the offset and the size of the section, as a segment's command has them.
    private func section(
        in commands: Fields, at start: Int, _ size: Int
    ) throws(CapsuleError) -> (offset: UInt64, size: UInt64)? {
        let (header, length) = (72, 80)
        guard size >= header, commands.word(start + 64) <= UInt64((size - header) / length) else { throw Self.damaged }
        for number in 0..<Int(commands.word(start + 64)) {
            let at = start + header + number * length
            guard commands.name(at, is: name), commands.name(at + 16, is: segment) else { continue }
            return (commands.word(at + 48), commands.long(at + 40))
        }
        return nil
    }

    private static func part(
        of whole: Range<UInt64>, at offset: UInt64, _ size: UInt64
    ) throws(CapsuleError) -> Range<UInt64> {
        let length = whole.upperBound - whole.lowerBound
        guard offset <= length, size <= length - offset else { throw damaged }
        let start = whole.lowerBound + offset
        return start..<start + size
    }

    private static func bytes(_ place: Range<UInt64>, _ read: Read) throws(CapsuleError) -> [UInt8] {
        let count = Int(place.upperBound - place.lowerBound)
        let bytes = try read(place.lowerBound, count)
        guard bytes.count == count else { throw damaged }
        return bytes
    }

    /// The numbers and names in a part of an executable. Callers stay inside of it.
    private struct Fields {
        let bytes: [UInt8]
        let isLittle: Bool

        func word(_ at: Int) -> UInt64 { number(bytes[at..<at + 4]) }

        func long(_ at: Int) -> UInt64 { number(bytes[at..<at + 8]) }

        /// Returns true if a field of 16 bytes is a name, filled up with zeros.
        func name(_ at: Int, is name: String) -> Bool {
            let field = bytes[at..<at + 16]
            return field.starts(with: name.utf8) && field.dropFirst(name.utf8.count).allSatisfy { $0 == 0 }
        }

        private func number(_ digits: ArraySlice<UInt8>) -> UInt64 {
            isLittle ? digits.reversed().reduce(0) { $0 << 8 | UInt64($1) } : digits.reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
