// swift-tools-version: 6.0
import PackageDescription

// The sources have typed throws, which compilers before 6.0 don't know, whatever version stands above.
let package = Package(
    name: "capsule-appdata-runtime",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "CapsuleRuntime", targets: ["CapsuleRuntime"]),
        .library(name: "CapsuleUITesting", targets: ["CapsuleUITesting"]),
    ],
    targets: ["CapsuleRuntime", "CapsuleUITesting"].map { name in
        .target(
            name: name,
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    }
)
