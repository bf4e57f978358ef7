// swift-tools-version: 6.2
import PackageDescription

/// Measures the property list codecs beside Foundation's; `Benchmarks/run` builds it. A package of its own, so that nobody who
/// builds capsule builds this too. The library's sources are a link to the ones that ship.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "PlistBenchmark",
    platforms: [.macOS(.v15)],
    targets: [
        .executableTarget(name: "PlistBenchmark", dependencies: ["CapsulePropertyList"], swiftSettings: settings),
        .target(name: "CapsulePropertyList", swiftSettings: settings),
    ]
)
