import CapsuleCore
import CapsulePropertyList

/// JSON from a server or from another program's file: an object, of bounded length and depth.
enum ReceivedJSON {
    private static let depth = 32

    /// - Parameters:
    ///   - limit: the greatest length, in bytes.
    ///   - isLenient: true if the last of several equal keys counts. If false, they are an error.
    ///   - path: the file or the address for messages.
    static func object(
        _ bytes: [UInt8], limit: Int, isLenient: Bool = false, path: HostPath
    ) throws(CapsuleError) -> PlistDictionary {
        let limits = PlistLimits(depth: depth, documentBytes: limit)
        let value: PlistValue
        do throws(PlistError) {
            value =
                isLenient
                ? try PlistReader.readLeniently(bytes, accepting: [.json], limits: limits).value
                : try PlistReader.read(bytes, accepting: [.json], limits: limits).value
        } catch {
            throw CapsuleError(error, in: path)
        }
        guard let object = value.dictionary else {
            throw CapsuleError("is \(value.typeNameWithArticle), not an object", path: path)
        }
        return object
    }
}

/// Members of objects. Other programs also write null for a member that is not there.
extension PlistDictionary {
    func member(_ key: PlistString) -> PlistValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    func text(_ key: PlistString) -> String? { self[key]?.string?.string }

    func object(_ key: PlistString) -> PlistDictionary? { self[key]?.dictionary }
}

extension String {
    /// The bytes that this text has in base64; nil if it is not valid.
    var base64Bytes: [UInt8]? { PlistString(self).withUTF8 { Base64.decode(UnsafeRawBufferPointer($0)) } }
}
