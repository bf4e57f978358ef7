// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is built with: language mode 6, nothing implicit, warnings are errors.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A system library found through pkg-config, with the packages that bring it.
func systemLibrary(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

let package = Package(
    name: "Capsule",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "capsule", targets: ["capsule"]),
        .library(name: "Capsule", targets: ["CapsuleEngine", "CapsuleCore", "CapsulePropertyList"]),
    ],
    targets: [
        .executableTarget(name: "capsule", dependencies: ["CapsuleCommands"], swiftSettings: strict),
        .target(
            name: "CapsuleCommands", dependencies: ["CapsuleEngine", "CapsuleCore", "CapsulePropertyList"], swiftSettings: strict),
        .target(
            name: "CapsuleEngine",
            dependencies: ["CapsuleArchive", "CapsuleFileSystem", "CapsuleHashing", "CapsuleCore", "CapsulePropertyList"],
            swiftSettings: strict),
        .target(
            name: "CapsuleArchive",
            dependencies: [
                "CArchive", "CDeflate", "CZlib", "CZstd", "CapsuleHashing", "CapsuleFileSystem", "CapsuleCore",
                "CapsulePropertyList",
            ],
            swiftSettings: strict),
        .target(name: "CapsuleFileSystem", dependencies: ["CSystem", "CapsuleCore"], swiftSettings: strict),
        .target(
            name: "CapsuleHashing",
            dependencies: [.target(name: "CCrypto", condition: .when(platforms: [.linux])), "CapsuleCore"],
            swiftSettings: strict),
        .target(name: "CapsuleCore", dependencies: ["CapsulePropertyList"], swiftSettings: strict),
        .target(name: "CapsulePropertyList", swiftSettings: strict),
        .testTarget(
            name: "CapsuleArchiveTests",
            dependencies: ["CapsuleArchive", "CapsuleFileSystem", "CapsuleHashing", "CapsuleCore", "CapsulePropertyList"],
            swiftSettings: strict),
        .testTarget(
            name: "CapsuleEngineTests",
            dependencies: [
                "CapsuleEngine", "CapsuleArchive", "CapsuleFileSystem", "CapsuleHashing", "CapsuleCore", "CapsulePropertyList",
            ],
            swiftSettings: strict),
        systemLibrary("CArchive", pkgConfig: "libarchive", apt: "libarchive-dev", brew: "libarchive"),
        systemLibrary("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
        systemLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", brew: "zstd"),
        systemLibrary("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        .systemLibrary(name: "CSystem"),
    ]
)
