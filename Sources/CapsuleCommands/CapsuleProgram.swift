import CapsuleCore
import CapsuleEngine

public enum CapsuleProgram {
    public static func run() -> Int32 {
        let arguments = CommandLine.arguments
        var options = PackOptions(captured: Timestamp(seconds: 1_700_000_000))
        options.jobs = Int(arguments[3]) ?? 2
        if arguments.count > 4, arguments[4] == "zstd" { options.codec = .zstd }
        options.replaces = true
        do {
            let outcome = try Packer(options: options).pack(Container(Array(arguments[1].utf8)), to: HostPath(arguments[2]))
            print(outcome.length, outcome.manifest.treeDigest)
            return 0
        } catch {
            print(error)
            return 2
        }
    }
}
