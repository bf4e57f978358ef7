import CapsulePropertyList
import Foundation
import Testing

@testable import CapsuleCore

/// Paths of another installation in texts and property lists.
@Suite struct PathRebaseTests {
    static let old = "11111111-2222-4333-8444-555555555555"
    static let device = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"
    static let target =
        "/Users/ann lee/Library/Developer/CoreSimulator/Devices/\(device)/data/Containers/Data/Application/99999999-8888-4777-8666-555555555555"
    static let encoded = target.replacingOccurrences(of: " ", with: "%20")
    static let simulator = "/Users/bob/Library/Developer/CoreSimulator/Devices/\(device)/data/Containers/Data/Application/\(old)"

    static func rebase() throws -> PathRebase { try #require(PathRebase(target: HostPath(target))) }

    static func rebased(_ text: String) throws -> String? {
        try rebase().rebased(.string(PlistString(text))).value?.string?.string
    }

    /// Texts before and after rewriting.
    static let rewritten: [(String, String)] = [
        ("/var/mobile/Containers/Data/Application/\(old)", target),
        ("/var/mobile/Containers/Data/Application/\(old)/", "\(target)/"),
        ("/private/var/mobile/Containers/Data/Application/\(old)/Documents/a b.txt", "\(target)/Documents/a b.txt"),
        ("/var/mobile/Containers/Data/Application/\(old.lowercased())/tmp", "\(target)/tmp"),
        ("\(simulator)/Documents/Caf\u{E9}", "\(target)/Documents/Caf\u{E9}"),
        ("/x/XCTestDevices/\(device)/data/Containers/Data/Application/\(old)/a", "\(target)/a"),
        ("file:///var/mobile/Containers/Data/Application/\(old)/Documents/a%20b.txt", "file://\(encoded)/Documents/a%20b.txt"),
        ("file://localhost/var/mobile/Containers/Data/Application/\(old)/", "file://\(encoded)/"),
        ("file:///var/mobile/Containers/Data/Application/\(old)/Documents/a b.txt", "file://\(target)/Documents/a b.txt"),
        (
            "file:///Users/x/Library/Developer/Xcode/UserData/Previews/Simulator%20Devices/\(device)/data/Containers/Data/Application/\(old)/a",
            "file://\(encoded)/a"
        ),
    ]

    @Test(arguments: rewritten)
    func textsAreRewritten(text: String, expected: String) throws {
        #expect(try Self.rebased(text) == expected)
        // A second rewriting finds nothing to do.
        #expect(try Self.rebased(expected) == nil)
    }

    static let others: [String] = [
        "", "/", "f", target, "\(target)/Documents", "file://\(encoded)/a", "/var/mobile/Containers/Data/Application/",
        "/var/mobile/Containers/Data/Application/\(old.dropLast())", "/var/mobile/Containers/Data/Application/\(old)x",
        "/elsewhere/Containers/Data/Application/\(old)/a", "var/mobile/Containers/Data/Application/\(old)",
        "see /var/mobile/Containers/Data/Application/\(old)", "/data/Containers/Data/Application/\(old)",
        "/var/mobile/Containers/Data/PluginKitPlugin/\(old)/a", "http://host/var/mobile/Containers/Data/Application/\(old)",
        "/var/containers/Bundle/Application/\(old)/Gifs.app", "/private/var/mobile/Containers/Shared/AppGroup/\(old)/x",
    ]

    @Test(arguments: others)
    func othersStay(text: String) throws {
        #expect(try Self.rebased(text) == nil)
    }

    @Test func whatIsNotRewrittenIsCounted() throws {
        let path = "/var/mobile/Containers/Data/Application/\(Self.old)/a"
        let value = PlistValue.dictionary([
            PlistString(path): .integer(1),
            "bundle": .string(PlistString("/var/containers/Bundle/Application/\(Self.old)/Gifs.app")),
            "groups": .array([.string(PlistString("/private/var/mobile/Containers/Shared/AppGroup/\(Self.old)/x"))]),
        ])
        let (changed, findings) = try Self.rebase().rebased(value)
        #expect(changed == nil)
        #expect(findings.keys == 1 && findings.bundles == 1 && findings.groups == 1 && findings.paths == 0)
    }

    /// A keyed archive within a property list, in both encodings: only the texts change, and Foundation reads the result.
    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func archivesInDataAreRewritten(format: PropertyListSerialization.PropertyListFormat) throws {
        let path = "/var/mobile/Containers/Data/Application/\(Self.old)/Documents/f\u{FC}r.txt"
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: ["url": URL(fileURLWithPath: path) as NSURL, "path": path as NSString] as NSDictionary,
            requiringSecureCoding: true)
        let before = try PropertyListSerialization.data(
            fromPropertyList: ["state": archive, "name": "x", "when": Date(timeIntervalSince1970: 5)], format: format, options: 0)
        let (bytes, findings) = try Self.rebase().rebased([UInt8](before))
        #expect(findings.paths == 2)
        let written = Data(try #require(bytes))
        let after = try #require(try PropertyListSerialization.propertyList(from: written, format: nil) as? [String: Any])
        #expect(after["name"] as? String == "x")
        #expect(after["when"] as? Date == Date(timeIntervalSince1970: 5))
        let state = try #require(after["state"] as? Data)
        let classes = [NSDictionary.self, NSURL.self, NSString.self] as [AnyClass]
        let root = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: state)
        let read = try #require(root as? NSDictionary)
        #expect(read["path"] as? String == "\(Self.target)/Documents/f\u{FC}r.txt")
        #expect((read["url"] as? URL)?.path == "\(Self.target)/Documents/f\u{FC}r.txt")
    }

    /// In XML, nothing but the text changes.
    @Test func onlyTheTextsChange() throws {
        let list = { (path: String) in
            "<?xml version=\"1.0\"?>\n<!-- mine -->\n<plist><dict>\n  <key>b</key><string>\(path)</string>\n\n <key>a</key><true/></dict></plist>\n"
        }
        let (bytes, _) = try Self.rebase().rebased(Array(list(Self.simulator + "/x").utf8))
        #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == list("\(Self.target)/x"))
    }

    @Test func damagedListsAreErrors() throws {
        let whole = [UInt8](
            try PropertyListSerialization.data(fromPropertyList: ["a": Self.simulator], format: .binary, options: 0))
        for length in 0..<whole.count {
            #expect(throws: PlistError.self) { try Self.rebase().rebased(Array(whole.prefix(length))) }
        }
        let deep = String(repeating: "<array>", count: 200) + String(repeating: "</array>", count: 200)
        #expect(throws: PlistError.self) { try Self.rebase().rebased(Array("<plist>\(deep)</plist>".utf8)) }
    }

    @Test func targetsThatNoListCanHold() {
        #expect(PathRebase(target: HostPath("relative")) == nil)
        #expect(PathRebase(target: HostPath([0x2F, 0xFF])) == nil)
        #expect(PathRebase(target: HostPath("/a/")) != nil)
    }
}
