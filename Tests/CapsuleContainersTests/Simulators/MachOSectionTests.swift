import CapsuleCore
import TestSupport
import Testing

@testable import CapsuleContainers

/// Reads sections of executables that the tests write.
@Suite struct MachOSectionTests {
    /// An executable with the sections of one segment. Numbers are in the given byte order.
    private struct Executable {
        var isLittle = true
        var sections: [(name: String, bytes: [UInt8])] = []
        /// Replaces the size of the first section.
        var size: UInt64?

        func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
            withUnsafeBytes(of: isLittle ? value.littleEndian : value.bigEndian) { Array($0) }
        }

        func word(_ value: Int) -> [UInt8] { number(UInt32(value)) }

        private func name(_ text: String) -> [UInt8] {
            Array(text.utf8) + [UInt8](repeating: 0, count: 16 - text.utf8.count)
        }

        var bytes: [UInt8] {
            let length = 72 + 80 * sections.count
            var at = 32 + 8 + length
            var bytes = word(0xfeed_facf) + word(7) + word(3) + word(2) + word(2) + word(8 + length) + word(0) + word(0)
            // A command of another kind comes first.
            bytes += word(0x1b) + word(8)
            bytes += word(0x19) + word(length) + name("__TEXT") + [UInt8](repeating: 0, count: 32)
            bytes += word(5) + word(5) + word(sections.count) + word(0)
            for (number, section) in sections.enumerated() {
                let size = number == 0 ? self.size : nil
                bytes += name(section.name) + name("__TEXT") + self.number(UInt64(0))
                bytes += self.number(size ?? UInt64(section.bytes.count)) + word(at) + [UInt8](repeating: 0, count: 28)
                at += section.bytes.count
            }
            return bytes + sections.flatMap(\.bytes)
        }
    }

    private static let content = Array("<plist/>".utf8)
    private static let whole = Executable(sections: [("__ents_der", [1, 2, 3]), ("__entitlements", content)]).bytes

    private static func read(_ bytes: [UInt8], limit: UInt64 = 1 << 20) throws(CapsuleError) -> [UInt8]? {
        let section = MachOSection(segment: "__TEXT", name: "__entitlements", limit: limit)
        return try section.read(size: UInt64(bytes.count)) { (offset, count) throws(CapsuleError) in
            guard offset <= UInt64(bytes.count), count <= bytes.count - Int(offset) else {
                Issue.record("reads \(count) bytes at \(offset), but the file has \(bytes.count)")
                return []
            }
            return Array(bytes[Int(offset)..<Int(offset) + count])
        }
    }

    /// A fat file of some slices. The fields are in the given byte order.
    private static func fat(_ slices: [[UInt8]], isWide: Bool, isLittle: Bool = false) -> [UInt8] {
        let order = Executable(isLittle: isLittle)
        var bytes = order.word(isWide ? 0xcafe_babf : 0xcafe_babe) + order.word(slices.count)
        var at = bytes.count + slices.count * (isWide ? 32 : 20)
        for slice in slices {
            bytes += order.word(7) + order.word(3)
            bytes +=
                isWide
                ? order.number(UInt64(at)) + order.number(UInt64(slice.count)) + order.word(0) + order.word(0)
                : order.word(at) + order.word(slice.count) + order.word(0)
            at += slice.count
        }
        return bytes + slices.flatMap { $0 }
    }

    @Test(arguments: [true, false])
    func readsThinFiles(isLittle: Bool) throws {
        let executable = Executable(isLittle: isLittle, sections: [("__text", [9]), ("__entitlements", Self.content)])
        #expect(try Self.read(executable.bytes) == Self.content)
    }

    /// The first architecture that has the section counts.
    @Test(arguments: [true, false], [true, false])
    func readsFatFiles(isWide: Bool, isLittle: Bool) throws {
        let other = Executable(sections: [("__text", [9])]).bytes
        #expect(try Self.read(Self.fat([other, Self.whole], isWide: isWide, isLittle: isLittle)) == Self.content)
        #expect(try Self.read(Self.fat([other, other], isWide: isWide, isLittle: isLittle)) == nil)
        #expect(try Self.read(Self.fat([], isWide: isWide, isLittle: isLittle)) == nil)
    }

    /// A file without the section, or of another kind, is not an error.
    @Test func otherFilesHaveNone() throws {
        #expect(try Self.read(Executable().bytes) == nil)
        #expect(try Self.read(Executable(sections: [("__ents_der", [1, 2])]).bytes) == nil)
        #expect(try Self.read(Executable(sections: [("__entitlements2", [1, 2])]).bytes) == nil)
        #expect(try Self.read([]) == nil)
        #expect(try Self.read(Array("#!/bin/sh\necho an executable that is a script\n".utf8)) == nil)
        // 32 bit
        #expect(try Self.read([0xce, 0xfa, 0xed, 0xfe] + Self.whole.dropFirst(4)) == nil)
        // A fat file in a fat file
        #expect(try Self.read(Self.fat([Self.fat([Self.whole], isWide: false)], isWide: false)) == nil)
    }

    /// A file that is cut is never read beyond its end, and never has another section.
    @Test(arguments: [whole, fat([whole], isWide: false), fat([whole], isWide: true)])
    func isCutAnywhere(file: [UInt8]) {
        for count in 0..<file.count {
            let cut = Array(file.prefix(count))
            #expect((try? Self.read(cut)) == nil, "cut after \(count) bytes")
        }
    }

    /// No damaged byte leads out of the file.
    @Test(arguments: [whole, fat([whole], isWide: false), fat([whole], isWide: true)], [0x00, 0x7f, 0x80, 0xff] as [UInt8])
    func isDamagedAnywhere(file: [UInt8], value: UInt8) {
        for place in file.indices {
            var damaged = file
            damaged[place] = value
            _ = try? Self.read(damaged)
        }
    }

    @Test(arguments: [UInt64.max, UInt64.max - 200, 1 << 63, 1 << 32, 1 << 20])
    func sizesAreChecked(size: UInt64) {
        let file = Executable(sections: [("__entitlements", Self.content)], size: size).bytes
        #expect(throws: CapsuleError.self) { try Self.read(file, limit: .max) }
        let order = Executable(isLittle: false)
        let fat = order.word(0xcafe_babf) + order.word(1) + order.word(7) + order.word(3)
        #expect(throws: CapsuleError.self) {
            try Self.read(fat + order.number(size) + order.number(size) + order.word(0) + order.word(0))
        }
    }

    /// The section, the commands and the architectures have limits.
    @Test func hasLimits() throws {
        #expect(try Self.read(Self.whole, limit: 8) == Self.content)
        #expect(throws: CapsuleError.self) { try Self.read(Self.whole, limit: 7) }
        let order = Executable()
        var header = Array(Self.whole.prefix(20)) + order.word(1 << 20 + 1)
        header += [UInt8](repeating: 0, count: 1 << 21)
        #expect(throws: CapsuleError.self) { try Self.read(header) }
        #expect(throws: CapsuleError.self) { try Self.read([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 65]) }
    }

    /// A command without a size would never end, and more commands than there is space for are damage.
    @Test func commandsStayInTheirSpace() {
        for (place, value) in [(36, 0), (36, 7), (36, 4096), (44, 71), (32 + 8 + 64, 3)] {
            var file = Self.whole
            file.replaceSubrange(place..<place + 4, with: Executable().word(value))
            #expect(throws: CapsuleError.self, "\(value) at \(place)") { try Self.read(file) }
        }
        var file = Executable().bytes
        file[16] = 3
        #expect(throws: CapsuleError.self) { try Self.read(file) }
    }
}
