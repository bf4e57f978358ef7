// Stands for Apple's framework Foundation: the signatures that the package and its tests use, and no behavior.
//
// A signature is Apple's, with the Sendable and the availability that the SDK gives it. What the package does not use is left out: a
// use of something that is missing here is an error until someone has looked up what Apple's says.

@_exported public import Darwin
@_exported public import Dispatch

public typealias OSStatus = Int32
public typealias TimeInterval = Double
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary

public func NSHomeDirectory() -> String { fatalError() }
public func NSTemporaryDirectory() -> String { fatalError() }
public func NSStringFromClass(_ aClass: AnyClass) -> String { fatalError() }
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }

public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    public var boolValue: Bool { fatalError() }
    public init(_ value: Bool) {}
    public init(booleanLiteral value: Bool) {}
}

// MARK: Objects

public protocol NSObjectProtocol: AnyObject {
    func isEqual(_ object: Any?) -> Bool
    var hash: Int { get }
    var description: String { get }
}

open class NSObject: NSObjectProtocol, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    public init() {}
    open func isEqual(_ object: Any?) -> Bool { fatalError() }
    open var hash: Int { fatalError() }
    open var description: String { fatalError() }
    open var debugDescription: String { fatalError() }
    open func copy() -> Any { fatalError() }
    open func mutableCopy() -> Any { fatalError() }
    public static func == (left: NSObject, right: NSObject) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) {}
}

public protocol NSCoding {
    func encode(with coder: NSCoder)
    init?(coder: NSCoder)
}

public protocol NSSecureCoding: NSCoding {
    static var supportsSecureCoding: Bool { get }
}

public protocol NSCopying {
    func copy(with zone: NSZone?) -> Any
}

public struct NSZone {}

open class NSCoder: NSObject {
    open func encode(_ object: Any?) {}
    open func encode(_ object: Any?, forKey key: String) {}
    open func encode(_ value: Bool, forKey key: String) {}
    open func encode(_ value: Int32, forKey key: String) {}
    open func encode(_ value: Int64, forKey key: String) {}
    open func encode(_ value: Int, forKey key: String) {}
    open func encode(_ value: Float, forKey key: String) {}
    open func encode(_ value: Double, forKey key: String) {}
    open func decodeObject(forKey key: String) -> Any? { fatalError() }
    open func decodeBool(forKey key: String) -> Bool { fatalError() }
    open func decodeInteger(forKey key: String) -> Int { fatalError() }
}

open class NSKeyedArchiver: NSCoder {
    @available(macOS 10.13, iOS 11.0, watchOS 4.0, tvOS 11.0, *)
    public init(requiringSecureCoding: Bool) {}
    @available(macOS 10.13, iOS 11.0, watchOS 4.0, tvOS 11.0, *)
    open class func archivedData(withRootObject object: Any, requiringSecureCoding: Bool) throws -> Data { fatalError() }
    open var outputFormat: PropertyListSerialization.PropertyListFormat {
        get { fatalError() }
        set {}
    }
    open var encodedData: Data { fatalError() }
    open func finishEncoding() {}
    open func setClassName(_ codedName: String?, for cls: AnyClass) {}
    open class func setClassName(_ codedName: String?, for cls: AnyClass) {}
}

open class NSKeyedUnarchiver: NSCoder {
    public init(forReadingFrom data: Data) throws {}
    open var requiresSecureCoding: Bool {
        get { fatalError() }
        set {}
    }
    open class func unarchivedObject(ofClasses classes: [AnyClass], from data: Data) throws -> Any? { fatalError() }
    open func finishDecoding() {}
    open func setClass(_ cls: AnyClass?, forClassName codedName: String) {}
}

public let NSKeyedArchiveRootObjectKey: String = ""

// MARK: Objects that hold values

open class NSString: NSObject, NSSecureCoding, NSCopying, ExpressibleByStringLiteral {
    public class var supportsSecureCoding: Bool { fatalError() }
    public convenience init(string: String) { fatalError() }
    public convenience init(_ string: NSString) { fatalError() }
    public required convenience init(stringLiteral value: StaticString) { fatalError() }
    public required init?(coder: NSCoder) {}
    open func encode(with coder: NSCoder) {}
    open func copy(with zone: NSZone?) -> Any { fatalError() }
    open var length: Int { fatalError() }
    open var lastPathComponent: String { fatalError() }
    open var deletingLastPathComponent: String { fatalError() }
    open var pathExtension: String { fatalError() }
    open var deletingPathExtension: String { fatalError() }
    open func appendingPathComponent(_ component: String) -> String { fatalError() }
}

open class NSMutableString: NSString {}

open class NSNumber: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    public class var supportsSecureCoding: Bool { fatalError() }
    public init(value: Int8) {}
    public init(value: UInt8) {}
    public init(value: Int16) {}
    public init(value: UInt16) {}
    public init(value: Int32) {}
    public init(value: UInt32) {}
    public init(value: Int64) {}
    public init(value: UInt64) {}
    public init(value: Int) {}
    public init(value: UInt) {}
    public init(value: Float) {}
    public init(value: Double) {}
    public init(value: Bool) {}
    public required init?(coder: NSCoder) {}
    open func encode(with coder: NSCoder) {}
    open func copy(with zone: NSZone?) -> Any { fatalError() }
    open var objCType: UnsafePointer<CChar> { fatalError() }
    open var uint16Value: UInt16 { fatalError() }
    open var int32Value: Int32 { fatalError() }
    open var int64Value: Int64 { fatalError() }
    open var uint64Value: UInt64 { fatalError() }
    open var intValue: Int { fatalError() }
    open var doubleValue: Double { fatalError() }
    open var boolValue: Bool { fatalError() }
    open var stringValue: String { fatalError() }
}

open class NSData: NSObject {
    public init(data: Data) {}
    public convenience init?(contentsOfFile path: String) { fatalError() }
    open var length: Int { fatalError() }
}

open class NSMutableData: NSData {}

open class NSDate: NSObject, @unchecked Sendable {
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    open var timeIntervalSinceReferenceDate: TimeInterval { fatalError() }
}

open class NSURL: NSObject, @unchecked Sendable {
    public init?(string: String) {}
    public init?(string: String, relativeTo baseURL: URL?) {}
    public init(fileURLWithPath path: String) {}
    open var absoluteString: String? { fatalError() }
    open var path: String? { fatalError() }
}

open class NSUUID: NSObject, @unchecked Sendable {
    public override init() {}
    public init?(uuidString: String) {}
}

open class NSNull: NSObject, @unchecked Sendable {
    public override init() {}
}

open class NSLocale: NSObject, @unchecked Sendable {
    public init(localeIdentifier: String) {}
}

open class NSArray: NSObject, ExpressibleByArrayLiteral {
    public override init() {}
    public convenience init(array: [Any]) { fatalError() }
    public convenience init(object: Any) { fatalError() }
    public required convenience init(arrayLiteral elements: Any...) { fatalError() }
    open var count: Int { fatalError() }
    open func object(at index: Int) -> Any { fatalError() }
}

open class NSMutableArray: NSArray {
    open func add(_ object: Any) {}
}

open class NSDictionary: NSObject, ExpressibleByDictionaryLiteral {
    public override init() {}
    public convenience init(dictionary: [AnyHashable: Any]) { fatalError() }
    public convenience init(object: Any, forKey key: any NSCopying) { fatalError() }
    public convenience init(objects: [Any], forKeys keys: [any NSCopying]) { fatalError() }
    public required convenience init(dictionaryLiteral elements: (any Hashable, Any)...) { fatalError() }
    open var count: Int { fatalError() }
    open func object(forKey key: Any) -> Any? { fatalError() }
    open subscript(key: Any) -> Any? { fatalError() }
}

open class NSMutableDictionary: NSDictionary {}

open class NSSet: NSObject, ExpressibleByArrayLiteral {
    public override init() {}
    public convenience init(array: [Any]) { fatalError() }
    public convenience init(object: Any) { fatalError() }
    public required convenience init(arrayLiteral elements: Any...) { fatalError() }
    open var count: Int { fatalError() }
}

open class NSCountedSet: NSSet {
    public convenience init(array: [Any]) { fatalError() }
}

open class NSOrderedSet: NSObject {
    public convenience init(array: [Any]) { fatalError() }
}

// MARK: Bridging

/// A value that `as` turns into an object, and back.
public protocol Bridged: _ObjectiveCBridgeable {}

extension Bridged {
    public func _bridgeToObjectiveC() -> _ObjectiveCType { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType, result: inout Self?) -> Bool { fatalError() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: _ObjectiveCType?) -> Self { fatalError() }
}

extension String: Bridged {
    public typealias _ObjectiveCType = NSString
}
extension Data: Bridged {
    public typealias _ObjectiveCType = NSData
}
extension Date: Bridged {
    public typealias _ObjectiveCType = NSDate
}
extension URL: Bridged {
    public typealias _ObjectiveCType = NSURL
}
extension UUID: Bridged {
    public typealias _ObjectiveCType = NSUUID
}
extension Array: Bridged, _ObjectiveCBridgeable {
    public typealias _ObjectiveCType = NSArray
}
extension Dictionary: Bridged, _ObjectiveCBridgeable {
    public typealias _ObjectiveCType = NSDictionary
}
extension Set: Bridged, _ObjectiveCBridgeable {
    public typealias _ObjectiveCType = NSSet
}
extension Bool: Bridged {
    public typealias _ObjectiveCType = NSNumber
}
extension Int: Bridged {
    public typealias _ObjectiveCType = NSNumber
}
extension Int64: Bridged {
    public typealias _ObjectiveCType = NSNumber
}
extension UInt64: Bridged {
    public typealias _ObjectiveCType = NSNumber
}
extension Double: Bridged {
    public typealias _ObjectiveCType = NSNumber
}

// MARK: Values

public struct Data: Hashable, Sendable, Codable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    public typealias Index = Int
    public init() {}
    public init(contentsOf url: URL, options: ReadingOptions = []) throws {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init(count: Int) {}
    public init?(base64Encoded: String, options: Base64DecodingOptions = []) {}
    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public subscript(index: Int) -> UInt8 {
        get { fatalError() }
        set {}
    }
    public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C) where C.Element == UInt8 {}
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result { fatalError() }
    public func write(to url: URL, options: WritingOptions = []) throws {}
    public func base64EncodedData(options: Base64EncodingOptions = []) -> Data { fatalError() }
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { fatalError() }

    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let atomic = WritingOptions(rawValue: 1)
    }
    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let ignoreUnknownCharacters = Base64DecodingOptions(rawValue: 1)
    }
}

public struct Date: Hashable, Comparable, Codable, Sendable {
    public init() {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public var timeIntervalSince1970: TimeInterval { fatalError() }
    public var timeIntervalSinceReferenceDate: TimeInterval { fatalError() }
    public func timeIntervalSince(_ date: Date) -> TimeInterval { fatalError() }
    public func addingTimeInterval(_ interval: TimeInterval) -> Date { fatalError() }
    public static func < (left: Date, right: Date) -> Bool { fatalError() }
}

open class ISO8601DateFormatter: NSObject {
    public override init() {}
    open func string(from date: Date) -> String { fatalError() }
    open func date(from string: String) -> Date? { fatalError() }
}

public struct UUID: Hashable, Codable, Sendable, CustomStringConvertible {
    public init() {}
    public init?(uuidString: String) {}
    public var uuidString: String { fatalError() }
    public var description: String { fatalError() }
}

public struct URL: Hashable, Codable, Sendable, CustomStringConvertible {
    public init?(string: String) {}
    public init?(string: String, relativeTo url: URL?) {}
    public init(fileURLWithPath path: String) {}
    public init(fileURLWithPath path: String, isDirectory: Bool) {}
    public var path: String { fatalError() }
    public var absoluteString: String { fatalError() }
    public var description: String { fatalError() }
    public var lastPathComponent: String { fatalError() }
    public var pathExtension: String { fatalError() }
    public var pathComponents: [String] { fatalError() }
    public var scheme: String? { fatalError() }
    public var isFileURL: Bool { fatalError() }
    public var standardizedFileURL: URL { fatalError() }
    public func appendingPathComponent(_ component: String) -> URL { fatalError() }
    public func appendingPathComponent(_ component: String, isDirectory: Bool) -> URL { fatalError() }
    public mutating func appendPathComponent(_ component: String) {}
    public func deletingLastPathComponent() -> URL { fatalError() }
    public mutating func deleteLastPathComponent() {}
    public func resolvingSymlinksInPath() -> URL { fatalError() }
    public func withUnsafeFileSystemRepresentation<Result>(_ block: (UnsafePointer<Int8>?) throws -> Result) rethrows -> Result {
        fatalError()
    }
}

public struct CharacterSet: Hashable, Sendable {
    public init(charactersIn string: String) {}
    public static var whitespaces: CharacterSet { fatalError() }
    public static var whitespacesAndNewlines: CharacterSet { fatalError() }
    public static var newlines: CharacterSet { fatalError() }
}

extension String {
    public struct Encoding: RawRepresentable, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let utf8 = Encoding(rawValue: 4)
        public static let ascii = Encoding(rawValue: 1)
        public static let isoLatin1 = Encoding(rawValue: 5)
        public static let utf16 = Encoding(rawValue: 10)
        public static let utf16LittleEndian = Encoding(rawValue: 0x9400_0100)
        public static let utf16BigEndian = Encoding(rawValue: 0x9000_0100)
        public static let utf32 = Encoding(rawValue: 0x8c00_0100)
    }
    public init(contentsOfFile path: String, encoding: Encoding) throws { fatalError() }
    public init(contentsOf url: URL, encoding: Encoding) throws { fatalError() }
    public init(format: String, _ arguments: any CVarArg...) { fatalError() }
    public init?(data: Data, encoding: Encoding) { fatalError() }
}

extension NSString {
    public struct CompareOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let literal = CompareOptions(rawValue: 2)
        public static let regularExpression = CompareOptions(rawValue: 1024)
    }
}

extension StringProtocol {
    public func range<T: StringProtocol>(
        of string: T, options: NSString.CompareOptions = [], range: Range<Index>? = nil, locale: Locale? = nil
    ) -> Range<Index>? { fatalError() }
    public func replacingOccurrences<Target: StringProtocol, Replacement: StringProtocol>(
        of target: Target, with replacement: Replacement, options: NSString.CompareOptions = [], range: Range<Index>? = nil
    ) -> String { fatalError() }
    public func components<T: StringProtocol>(separatedBy separator: T) -> [String] { fatalError() }
    public func components(separatedBy separator: CharacterSet) -> [String] { fatalError() }
    public func trimmingCharacters(in set: CharacterSet) -> String { fatalError() }
    public func data(using encoding: String.Encoding, allowLossyConversion: Bool = false) -> Data? { fatalError() }
    public func write<T: StringProtocol>(toFile path: T, atomically: Bool, encoding: String.Encoding) throws {}
    public var decomposedStringWithCanonicalMapping: String { fatalError() }
    public var precomposedStringWithCanonicalMapping: String { fatalError() }
}

public struct Locale: Hashable, Sendable {
    public init(identifier: String) {}
}

// MARK: Encodings

open class JSONDecoder: @unchecked Sendable {
    public init() {}
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}

open class JSONEncoder: @unchecked Sendable {
    public init() {}
    open func encode<T: Encodable>(_ value: T) throws -> Data { fatalError() }
}

open class JSONSerialization: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let fragmentsAllowed = ReadingOptions(rawValue: 4)
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = WritingOptions(rawValue: 1)
        public static let sortedKeys = WritingOptions(rawValue: 2)
        public static let fragmentsAllowed = WritingOptions(rawValue: 4)
    }
    open class func jsonObject(with data: Data, options: ReadingOptions = []) throws -> Any { fatalError() }
    open class func data(withJSONObject object: Any, options: WritingOptions = []) throws -> Data { fatalError() }
}

open class PropertyListSerialization: NSObject {
    public struct MutabilityOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public typealias ReadOptions = MutabilityOptions
    public typealias WriteOptions = Int
    public enum PropertyListFormat: UInt, Sendable {
        case openStep = 1
        case xml = 100
        case binary = 200
    }
    open class func propertyList(
        from data: Data, options: ReadOptions = [], format: UnsafeMutablePointer<PropertyListFormat>?
    ) throws -> Any { fatalError() }
    open class func data(fromPropertyList plist: Any, format: PropertyListFormat, options: WriteOptions) throws -> Data {
        fatalError()
    }
}

// MARK: Files

public struct FileAttributeKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let posixPermissions = FileAttributeKey(rawValue: "NSFilePosixPermissions")
    public static let modificationDate = FileAttributeKey(rawValue: "NSFileModificationDate")
    public static let size = FileAttributeKey(rawValue: "NSFileSize")
    public static let type = FileAttributeKey(rawValue: "NSFileType")
}

open class FileManager: NSObject, @unchecked Sendable {
    public enum SearchPathDirectory: UInt, Sendable {
        case libraryDirectory = 5
        case documentDirectory = 9
        case cachesDirectory = 13
        case applicationSupportDirectory = 14
    }
    public struct SearchPathDomainMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let userDomainMask = SearchPathDomainMask(rawValue: 1)
    }
    open class DirectoryEnumerator: NSObject, Sequence, IteratorProtocol {
        public func next() -> Any? { fatalError() }
    }
    open class var `default`: FileManager { fatalError() }
    open var temporaryDirectory: URL { fatalError() }
    open var currentDirectoryPath: String { fatalError() }
    open var homeDirectoryForCurrentUser: URL { fatalError() }
    open func changeCurrentDirectoryPath(_ path: String) -> Bool { true }
    open func urls(for directory: SearchPathDirectory, in domainMask: SearchPathDomainMask) -> [URL] { fatalError() }
    open func containerURL(forSecurityApplicationGroupIdentifier identifier: String) -> URL? { fatalError() }
    open func fileExists(atPath path: String) -> Bool { fatalError() }
    open func fileExists(atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { fatalError() }
    open func isExecutableFile(atPath path: String) -> Bool { fatalError() }
    open func contents(atPath path: String) -> Data? { fatalError() }
    open func contentsOfDirectory(atPath path: String) throws -> [String] { fatalError() }
    open func subpathsOfDirectory(atPath path: String) throws -> [String] { fatalError() }
    open func enumerator(atPath path: String) -> DirectoryEnumerator? { fatalError() }
    open func destinationOfSymbolicLink(atPath path: String) throws -> String { fatalError() }
    open func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] { fatalError() }
    open func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {}
    open func createDirectory(
        atPath path: String, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func createDirectory(
        at url: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    @discardableResult
    open func createFile(atPath path: String, contents: Data?, attributes: [FileAttributeKey: Any]? = nil) -> Bool {
        fatalError()
    }
    open func createSymbolicLink(atPath path: String, withDestinationPath destination: String) throws {}
    open func copyItem(atPath path: String, toPath destination: String) throws {}
    open func copyItem(at url: URL, to destination: URL) throws {}
    open func moveItem(atPath path: String, toPath destination: String) throws {}
    open func removeItem(atPath path: String) throws {}
    open func removeItem(at url: URL) throws {}
}

open class FileHandle: NSObject, @unchecked Sendable {
    public init(fileDescriptor: Int32, closeOnDealloc: Bool) {}
    public convenience init(fileDescriptor: Int32) { fatalError() }
    public convenience init?(forReadingAtPath path: String) { fatalError() }
    public convenience init(forReadingFrom url: URL) throws { fatalError() }
    public convenience init(forWritingTo url: URL) throws { fatalError() }
    open class var standardInput: FileHandle { fatalError() }
    open class var standardOutput: FileHandle { fatalError() }
    open class var standardError: FileHandle { fatalError() }
    open class var nullDevice: FileHandle { fatalError() }
    open func readDataToEndOfFile() -> Data { fatalError() }
    open var availableData: Data { fatalError() }
    open func write(_ data: Data) {}
    @available(macOS 10.15.4, iOS 13.4, watchOS 6.2, tvOS 13.4, *)
    public func readToEnd() throws -> Data? { fatalError() }
    @available(macOS 10.15.4, iOS 13.4, watchOS 6.2, tvOS 13.4, *)
    public func read(upToCount count: Int) throws -> Data? { fatalError() }
    @available(macOS 10.15.4, iOS 13.4, watchOS 6.2, tvOS 13.4, *)
    public func write<T: Collection>(contentsOf data: T) throws where T.Element == UInt8 {}
    @available(macOS 10.15.4, iOS 13.4, watchOS 6.2, tvOS 13.4, *)
    @discardableResult
    public func seekToEnd() throws -> UInt64 { fatalError() }
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public func seek(toOffset offset: UInt64) throws {}
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public func truncate(atOffset offset: UInt64) throws {}
    @available(macOS 10.15, iOS 13.0, watchOS 6.0, tvOS 13.0, *)
    public func close() throws {}
}

// MARK: Processes and threads

open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var arguments: [String] { fatalError() }
    open var environment: [String: String] { fatalError() }
    open var processIdentifier: Int32 { fatalError() }
    open var activeProcessorCount: Int { fatalError() }
    open var systemUptime: TimeInterval { fatalError() }
}

open class Pipe: NSObject, @unchecked Sendable {
    public override init() {}
    open var fileHandleForReading: FileHandle { fatalError() }
    open var fileHandleForWriting: FileHandle { fatalError() }
}

#if os(macOS)
open class Process: NSObject {
    public override init() {}
    open var executableURL: URL?
    open var arguments: [String]?
    open var environment: [String: String]?
    open var currentDirectoryURL: URL?
    open var standardInput: Any?
    open var standardOutput: Any?
    open var standardError: Any?
    open var isRunning: Bool { fatalError() }
    open var terminationStatus: Int32 { fatalError() }
    open var processIdentifier: Int32 { fatalError() }
    open func run() throws {}
    open func terminate() {}
    open func waitUntilExit() {}
}
#endif

open class Thread: NSObject {
    public override init() {}
    @available(macOS 10.12, iOS 10.0, watchOS 3.0, tvOS 10.0, *)
    public convenience init(block: @escaping @Sendable () -> Void) { fatalError() }
    @available(macOS 10.12, iOS 10.0, watchOS 3.0, tvOS 10.0, *)
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
    open class func sleep(forTimeInterval interval: TimeInterval) {}
    open class var isMainThread: Bool { fatalError() }
    open var stackSize: Int {
        get { fatalError() }
        set {}
    }
    open var name: String?
    open var isFinished: Bool { fatalError() }
    open func start() {}
}

public protocol NSLocking {
    func lock()
    func unlock()
}

extension NSLocking {
    public func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
}

open class NSLock: NSObject, NSLocking, @unchecked Sendable {
    public override init() {}
    open func lock() {}
    open func unlock() {}
    open func `try`() -> Bool { fatalError() }
}

open class NSRecursiveLock: NSObject, NSLocking, @unchecked Sendable {
    public override init() {}
    open func lock() {}
    open func unlock() {}
}

// MARK: Apps

open class Bundle: NSObject, @unchecked Sendable {
    public init?(path: String) {}
    public convenience init?(url: URL) { fatalError() }
    public init(for aClass: AnyClass) {}
    open class var main: Bundle { fatalError() }
    open class var allBundles: [Bundle] { fatalError() }
    open var bundleIdentifier: String? { fatalError() }
    open var bundlePath: String { fatalError() }
    open var bundleURL: URL { fatalError() }
    open var resourceURL: URL? { fatalError() }
    open var resourcePath: String? { fatalError() }
    open func url(forResource name: String?, withExtension suffix: String?) -> URL? { fatalError() }
}

open class UserDefaults: NSObject, @unchecked Sendable {
    public convenience override init() { fatalError() }
    public init?(suiteName: String?) {}
    open class var standard: UserDefaults { fatalError() }
    open func object(forKey key: String) -> Any? { fatalError() }
    open func string(forKey key: String) -> String? { fatalError() }
    open func bool(forKey key: String) -> Bool { fatalError() }
    open func integer(forKey key: String) -> Int { fatalError() }
    open func set(_ value: Any?, forKey key: String) {}
    open func set(_ value: Bool, forKey key: String) {}
    open func set(_ value: Int, forKey key: String) {}
    open func removeObject(forKey key: String) {}
    open func persistentDomain(forName name: String) -> [String: Any]? { fatalError() }
    open func setPersistentDomain(_ domain: [String: Any], forName name: String) {}
    open func removePersistentDomain(forName name: String) {}
    @discardableResult
    open func synchronize() -> Bool { fatalError() }
}

open class NSNotification: NSObject {
    public struct Name: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }
}

public struct Notification {
    public typealias Name = NSNotification.Name
}

open class OperationQueue: NSObject, @unchecked Sendable {
    public override init() { fatalError() }
    open var maxConcurrentOperationCount: Int { get { fatalError() } set {} }
    open func addOperation(_ block: @escaping @Sendable () -> Void) { fatalError() }
    open class var main: OperationQueue { fatalError() }
}

open class NotificationCenter: NSObject, @unchecked Sendable {
    open class var `default`: NotificationCenter { fatalError() }
    @discardableResult
    open func addObserver(
        forName name: NSNotification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    open func removeObserver(_ observer: Any) {}
}

// MARK: Errors

extension Error {
    public var localizedDescription: String { fatalError() }
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { fatalError() }
    public var failureReason: String? { fatalError() }
    public var recoverySuggestion: String? { fatalError() }
    public var helpAnchor: String? { fatalError() }
}

public struct CocoaError: Error {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static var fileNoSuchFile: Code { Code(rawValue: 4) }
        public static var fileReadNoSuchFile: Code { Code(rawValue: 260) }
    }
    public init(_ code: Code, userInfo: [String: Any] = [:]) {}
    public var code: Code { fatalError() }
}

public protocol CustomNSError: Error {
    static var errorDomain: String { get }
    var errorCode: Int { get }
    var errorUserInfo: [String: Any] { get }
}

extension CustomNSError {
    public static var errorDomain: String { fatalError() }
    public var errorCode: Int { fatalError() }
    public var errorUserInfo: [String: Any] { fatalError() }
}
