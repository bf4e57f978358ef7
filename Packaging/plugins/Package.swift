// swift-tools-version: 5.6
import PackageDescription

// 5.6 is the first version with plugins. The tests build with the toolchain of the project, nothing older.
let package = Package(
    name: "capsule-appdata-plugins",
    products: [
        .plugin(name: "CapsuleResources", targets: ["CapsuleResources"]),
        .plugin(name: "CapsuleDiff", targets: ["CapsuleDiff"]),
        .plugin(name: "CapsulePack", targets: ["CapsulePack"]),
    ],
    targets: [
        .plugin(name: "CapsuleResources", capability: .buildTool(), dependencies: ["CapsuleProgram"]),
        .plugin(
            name: "CapsuleDiff",
            capability: .command(
                intent: .custom(verb: "capsule-diff", description: "Compare two containers, capsules or files")),
            dependencies: ["CapsuleProgram"]),
        .plugin(
            name: "CapsulePack",
            capability: .command(
                intent: .custom(verb: "capsule-pack", description: "Pack a container into a capsule"),
                permissions: [.writeToPackageDirectory(reason: "The capsule is a file in the package.")]),
            dependencies: ["CapsuleProgram"]),
        // Packaging/make_plugins writes the bundle's place here.
        .binaryTarget(name: "CapsuleProgram", path: "capsule.artifactbundle"),
    ]
)
