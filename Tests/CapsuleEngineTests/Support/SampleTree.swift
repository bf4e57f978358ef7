import CapsuleCore
import Foundation
import TestSupport

@testable import CapsuleEngine

/// A small bundle with everything that a tree can hold.
enum SampleTree {
    static let identity = """
        <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>MCMMetadataIdentifier</key>
        <string>com.example.app</string></dict></plist>
        """
    static let info = """
        <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>CFBundleIdentifier</key>
        <string>com.example.app</string></dict></plist>
        """

    /// Writes `NAME.xcappdata`, and returns its path.
    static func writeBundle(_ scratch: Scratch, name: String = "com.example.app", extra: String = "") throws -> String {
        let top = "\(name).xcappdata"
        try scratch.write(info, to: "\(top)/AppDataInfo.plist")
        let data = "\(top)/AppData"
        try scratch.write(identity, to: "\(data)/.com.apple.mobile_container_manager.metadata.plist")
        try scratch.write("hello\n", to: "\(data)/Documents/a.txt")
        try scratch.write("", to: "\(data)/Documents/empty")
        try scratch.write("x", to: "\(data)/Documents/with space: and colon")
        try scratch.write((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 7 / 3) }, to: "\(data)/Library/medium.bin")
        try scratch.write([UInt8](repeating: 0, count: 200_000) + [1], to: "\(data)/Library/holes.bin")
        try scratch.write(
            "deep", to: "\(data)/Library/\(String(repeating: "d/", count: 60))\(String(repeating: "n", count: 120))")
        let traits = try FileSystemTraits.of(scratch.path)
        let script = """
            set -e
            cd '\(scratch(data))'
            mkdir -p tmp SystemData
            ln -s ../Documents/a.txt Library/link
            ln -s /nowhere/at/all tmp/dangling
            printf NFC > "Documents/$(printf '\\303\\251')"
            \(traits.tellsFormsApart ? #"printf NFD > "Documents/$(printf 'e\314\201')""# : "")
            \(traits.takesAnyBytes ? #"printf raw > "Documents/$(printf 'raw\377\376')""# : "")
            chmod 600 Documents/a.txt
            chmod 755 Library/medium.bin
            \(extra)
            find '\(scratch(top))' -exec touch -h -d '2023-11-14T22:13:21Z' {} +
            """
        let run = try Tool.shell(script)
        guard run.status == 0 else { throw CapsuleError("the sample can't be made: \(run.output)") }
        return scratch(top)
    }
}
