import CapsulePropertyList
import Foundation

/// usage: PlistBenchmark XML BINARY RUNS [WORK]
///
/// Prints `WORK OURS CPU FOUNDATION CPU`, medians in seconds, for each piece of work: parse-xml, parse-binary, write-xml and
/// write-binary. The two are taken in turn in one process, each once to warm up. With WORK ours alone is run, to be profiled.
let arguments = CommandLine.arguments
guard arguments.count >= 4, let runs = Int(arguments[3]), runs > 0 else {
    FileHandle.standardError.write(Data("usage: PlistBenchmark XML BINARY RUNS [WORK]\n".utf8))
    exit(64)
}
let pairs = try CodecPairs(
    xml: URL(fileURLWithPath: arguments[1]), binary: URL(fileURLWithPath: arguments[2]))
if arguments.count > 4 {
    try pairs.profile(arguments[4], runs: runs)
} else {
    for pair in pairs.all {
        print(pair.name, try pair.medians(runs: runs).map { String($0) }.joined(separator: " "))
    }
}
