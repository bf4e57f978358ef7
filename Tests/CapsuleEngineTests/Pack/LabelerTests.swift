import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleSystem
import TestSupport
import Testing

@testable import CapsuleEngine

@Suite struct LabelerTests {
    private static let names = ["a", "b", "c"]

    private static func labels(of capsule: String) throws -> [String: UInt32] {
        let reader = try CapsuleReader(try CapsuleFile(opening: HostPath(Array(capsule.utf8))))
        let labels = try reader.labels()
        for (label, version) in labels { #expect(try reader.version(labelled: label) == version) }
        return Dictionary(uniqueKeysWithValues: labels.map { ($0.label.text, $0.version) })
    }

    /// Packs, labels, deletes labels and compacts at random. A dictionary says what each label means.
    @Test(arguments: SeededGenerator.seeds)
    func labelsMeanWhatWasAskedFor(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let capsule = directory["x.capsule"]
        let path = directory.host("x.capsule")
        // A program that another test starts holds the lock for a moment, until it replaces itself.
        let labeler = Labeler(lockTimeout: 10)
        var model: [String: UInt32] = [:]
        var versions: [UInt32] = []
        for step in 0..<25 {
            let name = try #require(Self.names.randomElement(using: &random))
            let label = try #require(VersionLabel(name))
            switch versions.isEmpty ? 0 : random.number(0...5) {
            case 0, 1:
                let tree: TreeLiteral = ["f": .file("\(step)")]
                try tree.make(at: directory["\(step)"])
                let isLabeled = random.number(0...1) == 1
                var options = PackOptions(captured: .epoch)
                options.label = isLabeled ? label : nil
                var append = Packer.AppendOptions()
                append.movesLabel = true
                let outcome = try Packer(options: options).append(UseCases.container(directory["\(step)"]), to: path, append)
                versions.append(outcome.manifest.version)
                if isLabeled { model[name] = outcome.manifest.version }
            case 2, 3:
                let version = try #require(versions.randomElement(using: &random))
                let outcome = try labeler.give(label, to: .number(version), of: path, moves: true)
                #expect(outcome.previous == model[name] && outcome.isChanged == (model[name] != version))
                model[name] = version
            case 4:
                let error = UseCases.failure { try labeler.delete(label, of: path) }
                #expect(error?.code == (model[name] == nil ? .notFound : nil))
                model[name] = nil
            default:
                guard versions.count > 1, let dropped = versions.randomElement(using: &random) else { continue }
                _ = try Compactor(keeping: nil, dropping: [.number(dropped)], jobs: 1, lockTimeout: 10).compact(path)
                versions.removeAll { $0 == dropped }
                model = model.filter { $0.value != dropped }
            }
            #expect(try Self.labels(of: capsule) == model, "step \(step)")
        }
        #expect(try UseCases.verify(capsule).findings == [])
        let described = try VersionLog(path).versions.flatMap { version in version.labels.map { ($0.text, version.number) } }
        #expect(Dictionary(uniqueKeysWithValues: described) == model)
    }

    /// A label that a damaged record may have moved is unknown, and none that was given later is.
    @Test func labelsBeforeADamagedRecordAreUnknown() throws {
        let directory = try TemporaryDirectory()
        let (capsule, fixed) = (directory["x.capsule"], directory["y.capsule"])
        let path = directory.host("x.capsule")
        for label in ["a", "b"] {
            let tree: TreeLiteral = ["f": .file(label)]
            try tree.make(at: directory[label])
            var options = PackOptions(captured: .epoch)
            options.label = VersionLabel(label)
            _ = try Packer(options: options).append(UseCases.container(directory[label]), to: path, .init())
        }
        let labeler = Labeler(lockTimeout: 10)
        let start = try Files.read(capsule).count
        _ = try labeler.give(#require(VersionLabel("a")), to: .number(2), of: path, moves: true)
        _ = try labeler.give(#require(VersionLabel("c")), to: .number(1), of: path, moves: false)
        var bytes = try Files.read(capsule)
        bytes[start + 40] ^= 1
        try Files.write(bytes, to: capsule)

        let errors = [
            UseCases.failure { try UseCases.list("\(capsule)@a") }, UseCases.failure { try UseCases.list("\(capsule)@b") },
            UseCases.failure { try UseCases.list("\(capsule)@none") },
            UseCases.failure { try Compactor(keeping: nil, jobs: 1, lockTimeout: 1).compact(path) },
            UseCases.failure { try Compactor(keeping: [.number(2)], jobs: 1, lockTimeout: 1).compact(path) },
            UseCases.failure { try Pusher().push(Array(capsule.utf8), to: Array("oci:\(directory["lay"]):t".utf8)) },
            try VersionLog(path).failures.first,
        ]
        for error in errors {
            #expect(error?.code == .damaged && error?.message.hasSuffix("given before it are unknown") == true)
            #expect(error?.hint?.hasPrefix("'capsule compact \(capsule) -o NEW' writes") == true)
        }
        #expect(try !UseCases.list("\(capsule)@c").isEmpty)
        #expect(try VersionLog(path).versions.map { $0.labels.map(\.text) } == [[], ["c"]])

        let outcome = try Compactor(keeping: nil, jobs: 1, lockTimeout: 1).compact(path, to: HostPath(fixed))
        #expect(outcome.warning?.message.hasSuffix("and the new file is without them") == true)
        #expect(try Self.labels(of: fixed) == ["c": 1])
    }
}
