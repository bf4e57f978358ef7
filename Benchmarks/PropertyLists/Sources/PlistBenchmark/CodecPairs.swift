import CapsulePropertyList
import Foundation

/// Each piece of work, with what it is done on.
struct CodecPairs {
    let all: [CodecPair]

    init(xml: URL, binary: URL) throws {
        let (xml, binary) = (try Data(contentsOf: xml), try Data(contentsOf: binary))
        let (xmlBytes, binaryBytes) = (Array(xml), Array(binary))
        let value = try PlistReader.read(binaryBytes).value
        nonisolated(unsafe) let object = try PropertyListSerialization.propertyList(from: binary, format: nil)
        all = [
            CodecPair("parse-xml") {
                _ = try PlistReader.read(xmlBytes)
            } theirs: {
                _ = try PropertyListSerialization.propertyList(from: xml, format: nil)
            },
            CodecPair("parse-binary") {
                _ = try PlistReader.read(binaryBytes)
            } theirs: {
                _ = try PropertyListSerialization.propertyList(from: binary, format: nil)
            },
            CodecPair("write-xml") {
                _ = try XMLPlistWriter.write(value)
            } theirs: {
                _ = try PropertyListSerialization.data(fromPropertyList: object, format: .xml, options: 0)
            },
            CodecPair("write-binary") {
                _ = try BinaryPlistWriter.write(value)
            } theirs: {
                _ = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
            },
        ]
    }

    /// Runs our side of one piece of work.
    func profile(_ name: String, runs: Int) throws {
        for pair in all where pair.name == name {
            for _ in 0..<runs { try pair.ours() }
        }
    }
}
