// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: language mode 6, nothing implicit, warnings are errors.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A system library that pkg-config finds, with the packages that contain it.
func systemLibrary(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

/// A target of tests, built with the same settings as the code that it tests.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// The modules of values, which touch neither files nor libraries.
let values: [Target.Dependency] = [
    "CapsuleMerge", "CapsuleOverlay", "CapsuleRules", "CapsuleCore", "CapsulePropertyList",
]

let package = Package(
    name: "Capsule",
    platforms: [.macOS(.v15), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .executable(name: "capsule", targets: ["CapsuleMain"]),
        .executable(name: "capsule-http", targets: ["capsule-http"]),
        .library(name: "CapsuleKit", targets: ["Capsule"]),
        .library(name: "CapsuleRuntime", targets: ["CapsuleRuntime"]),
        .library(name: "CapsuleUITesting", targets: ["CapsuleUITesting"]),
    ],
    targets: [
        .executableTarget(
            name: "CapsuleMain", dependencies: ["CapsuleCommands"], path: "Sources/capsule-cli", swiftSettings: strict),
        .target(
            name: "Capsule", dependencies: ["CapsuleEngine", "CapsuleContainers"] + values, swiftSettings: strict),
        .target(
            name: "CapsuleCommands", dependencies: ["CapsuleArguments", "CapsuleEngine", "CapsuleContainers"] + values,
            swiftSettings: strict),
        .target(
            name: "CapsuleArguments", dependencies: ["CapsuleContainers", "CapsuleCore", "CapsulePropertyList"],
            swiftSettings: strict),
        .target(
            name: "CapsuleEngine",
            dependencies: [
                "CapsuleContainers", "CapsuleDatabases", "CapsuleTransaction", "CapsuleRemote", "CapsuleArchive", "CapsuleSQLite",
                "CapsuleSystem", "CapsuleHashing",
            ] + values,
            swiftSettings: strict),
        .target(
            name: "CapsuleContainers",
            dependencies: [
                "CapsuleRemote", "CapsuleArchive", "CapsuleSQLite", "CapsuleSystem", "CapsuleHashing", "CapsuleCore",
                "CapsulePropertyList",
            ],
            swiftSettings: strict),
        .target(
            name: "CapsuleTransaction", dependencies: ["CapsuleSystem", "CapsuleHashing", "CapsuleCore"], swiftSettings: strict),
        .target(
            name: "CapsuleDatabases", dependencies: ["CapsuleSQLite", "CapsuleHashing", "CapsuleSystem", "CSQLite"] + values,
            swiftSettings: strict),
        .target(
            name: "CapsuleSQLite",
            dependencies: ["CSQLite", "CapsuleHashing", "CapsuleSystem", "CapsuleCore", "CapsulePropertyList"],
            swiftSettings: strict),
        .target(
            name: "CapsuleRemote",
            dependencies: ["CapsuleArchive", "CapsuleHashing", "CapsuleSystem", "CapsuleCore", "CapsulePropertyList"],
            swiftSettings: strict),
        .target(
            name: "CapsuleArchive",
            dependencies: [
                "CArchive", "CDeflate", "CZlib", "CZstd", "CapsuleHashing", "CapsuleSystem", "CapsuleCore",
                "CapsulePropertyList",
            ],
            swiftSettings: strict),
        .target(
            name: "CapsuleSystem", dependencies: ["CSystem", "CapsuleCore"],
            // Tests make system calls fail with this. A release must not contain it.
            swiftSettings: strict + [.define("CAPSULE_FAULTS", .when(configuration: .debug))],
            // FSEvents, which Sources/CSystem/apple_events.h declares.
            linkerSettings: [.linkedFramework("CoreServices", .when(platforms: [.macOS]))]),
        .target(
            name: "CapsuleHashing",
            dependencies: [.target(name: "CCrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: strict),
        .target(
            name: "CapsuleMerge", dependencies: ["CapsuleOverlay", "CapsuleRules", "CapsuleCore", "CapsulePropertyList"],
            swiftSettings: strict),
        .target(
            name: "CapsuleOverlay", dependencies: ["CapsuleCore", "CapsuleHashing", "CapsulePropertyList"], swiftSettings: strict),
        .target(
            name: "CapsuleRules", dependencies: ["CapsuleCore", "CapsuleHashing", "CapsulePropertyList"], swiftSettings: strict),
        .target(name: "CapsuleCore", dependencies: ["CSystem", "CapsuleHashing", "CapsulePropertyList"], swiftSettings: strict),
        .target(name: "CapsulePropertyList", swiftSettings: strict),
        // An app links this, and none of the above.
        .target(name: "CapsuleRuntime", swiftSettings: strict),
        // A UI test links this: the client of `capsule serve`.
        .target(name: "CapsuleUITesting", swiftSettings: strict),
        .executableTarget(
            name: "ExampleApp", dependencies: ["CapsuleRuntime", "CSQLite"], path: "Samples/ExampleApp", swiftSettings: strict),
        // Capsule's HTTP client is a program of its own, in C: libcurl's interface is made of C's variable arguments, and a Swift program
        // would carry a second copy of Swift's runtime. This one is for tests: .ci/make-http builds the one of a release.
        .executableTarget(
            name: "capsule-http", dependencies: ["CCurl"],
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)],
            // Where pkg-config finds no libcurl, such as on a Mac: C files do not link what the module map says.
            linkerSettings: [.linkedLibrary("curl")]),
        systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        systemLibrary("CArchive", pkgConfig: "libarchive", apt: "libarchive-dev", brew: "libarchive"),
        systemLibrary("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
        systemLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev", brew: "zstd"),
        systemLibrary("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        .systemLibrary(name: "CSystem"),
        .target(
            name: "TestSupport", dependencies: ["CSystem", "CapsuleCore", "CapsuleSystem"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests("CapsuleRuntimeTests", ["CapsuleRuntime", "TestSupport"]),
        tests("CapsuleTests", ["Capsule", "TestSupport"] + values),
        tests("ExampleAppTests", ["ExampleApp", "CapsuleRuntime", "CapsuleMain", "TestSupport"]),
        tests("CapsulePropertyListTests", ["CapsulePropertyList", "TestSupport"]),
        tests(
            "CapsuleCommandsTests",
            [
                "CapsuleMain", "CapsuleCommands", "CapsuleArguments", "CapsuleEngine", "CapsuleContainers", "CapsuleHashing",
                "TestSupport",
            ] + values),
        tests("CapsuleCoreTests", values + ["TestSupport"]),
        tests("CapsuleHashingTests", ["CapsuleHashing", "CapsuleCore", "TestSupport"]),
        // Stand-ins for calls that only Apple systems have, for tests on Linux.
        .target(name: "AppleCalls", path: "Tests/AppleCalls"),
        tests("CapsuleSystemTests", ["AppleCalls", "CSystem", "CapsuleSystem", "CapsuleCore", "TestSupport"]),
        tests(
            "CapsuleSQLiteTests",
            [
                "CSQLite", "CapsuleDatabases", "CapsuleSQLite", "CapsuleHashing", "CapsuleSystem", "TestSupport",
            ] + values),
        tests(
            "CapsuleArchiveTests",
            ["CapsuleArchive", "CapsuleHashing", "CapsuleSystem", "CapsuleCore", "CapsulePropertyList", "TestSupport"]),
        tests(
            "CapsuleRemoteTests",
            [
                "CapsuleRemote", "CapsuleArchive", "CapsuleSystem", "CapsuleHashing", "CapsuleCore", "CapsulePropertyList",
                "TestSupport",
            ]),
        tests(
            "CapsuleTransactionTests", ["CapsuleTransaction", "CapsuleSystem", "CapsuleHashing", "CapsuleCore", "TestSupport"]),
        tests(
            "CapsuleEngineTests",
            [
                "CapsuleEngine", "CapsuleContainers", "CapsuleDatabases", "CapsuleTransaction", "CapsuleArchive", "CapsuleSQLite",
                "CapsuleSystem", "CapsuleHashing", "TestSupport",
            ] + values),
        tests(
            "CapsuleContainersTests",
            [
                "CapsuleContainers", "CapsuleArchive", "CapsuleSQLite", "CapsuleSystem", "CapsuleHashing", "TestSupport",
            ] + values),
        .target(
            name: "FuzzRounds",
            dependencies: [
                "CDeflate", "CapsuleEngine", "CapsuleContainers", "CapsuleRemote", "CapsuleArchive", "CapsuleSystem",
                "CapsuleHashing",
            ] + values,
            path: "Fuzz/Rounds", swiftSettings: strict),
        tests("CapsuleUITestingTests", ["CapsuleUITesting", "CapsuleEngine", "CapsuleMain", "TestSupport"]),
        tests("FuzzTests", ["FuzzRounds", "CapsuleEngine", "CapsuleContainers", "TestSupport"] + values),
        tests("CLITests", ["CapsuleMain", "ExampleApp", "CapsuleRuntime", "TestSupport"], exclude: ["Scripts"]),
    ]
)

// libFuzzer has its own main function, so Fuzz/run builds this with `--sanitize=fuzzer`.
if Context.environment["CAPSULE_FUZZ"] == "1" {
    package.targets.append(
        .executableTarget(name: "fuzz", dependencies: ["FuzzRounds"], path: "Fuzz/Driver", swiftSettings: strict))
}
