import CapsuleContainers
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// Writes a merged container to a path, in the form that the path's name asks for. It appears completely or not at all.
struct MergeOutput {
    private enum Form {
        case capsule
        case directory(UnpackOptions.Form?)
    }

    private let path: HostPath
    private let options: MergeOptions
    private let progress: (any ProgressObserver)?
    private let form: Form

    init(_ path: HostPath, _ options: MergeOptions, progress: (any ProgressObserver)?) {
        self.path = path
        self.options = options
        self.progress = progress
        let name = path.name
        if name.suffix(Self.capsule.count).elementsEqual(Self.capsule) {
            form = .capsule
        } else {
            form = .directory(
                name.suffix(ContainerShape.bundleSuffix.count).elementsEqual(ContainerShape.bundleSuffix) ? .bundle : nil)
        }
    }

    private static let capsule = Array(".capsule".utf8)
    private static let archives = [".tar.gz", ".tgz", ".tar.zst", ".zip", ".ipa", ".tar"]

    private var isDirectory: Bool {
        if case .directory = form { true } else { false }
    }

    func check(against inputs: [Container]) throws(CapsuleError) {
        guard path != .standardStream else {
            throw CapsuleError(.usage, "can't write a merged container to standard output", hint: "name the output with '-o'")
        }
        let name = String(decoding: path.name, as: UTF8.self)
        if let archive = Self.archives.first(where: { name.lowercased().hasSuffix($0) }) {
            throw CapsuleError(
                .usage, "a merged container can be a capsule or a directory, not \(archive)", path: path,
                hint: "use a name that ends in '.capsule', then make an archive with 'capsule unpack --as'")
        }
        try options.refuse(path, overwriting: inputs.map(\.argument))
        try FileProbe.checkTarget(path, as: isDirectory ? .directory : .file, replacing: options.replaces)
    }

    /// - Throws: an error if the result would replace a directory with anything else in it.
    func check(_ result: OpenedContainer) throws(CapsuleError) {
        guard case .directory(let form) = form else { return }
        try unpacker(form, result).check(result, of: path, to: path)
    }

    func write(_ result: inout OpenedContainer, from inputs: [MergeInput]) throws(CapsuleError) -> [String] {
        switch form {
        case .capsule:
            var packing = PackOptions(captured: options.captured)
            packing.jobs = options.jobs
            packing.replaces = options.replaces
            packing.other = Self.parents(inputs)
            try Packer(options: packing, progress: progress).write(&result, to: path, within: inputs.map(\.opened.fileMode))
            return []
        case .directory(let form):
            return try unpacker(form, result).write(result, of: path, to: path, for: .merging).notes
        }
    }

    private func unpacker(_ form: UnpackOptions.Form?, _ result: OpenedContainer) -> Unpacker {
        var unpacking = UnpackOptions()
        unpacking.form = form ?? Self.form(of: result)
        unpacking.replaces = options.replaces
        unpacking.jobs = options.jobs
        return Unpacker(options: unpacking, progress: progress)
    }

    private static func form(of result: OpenedContainer) -> UnpackOptions.Form? {
        guard result.layout == .container, result.groups.isEmpty else { return nil }
        return result.source.kind == .bundle ? nil : .container
    }

    /// Returns the manifest's list of the versions that this one was made from (docs/format.md, section 6).
    private static func parents(_ inputs: [MergeInput]) -> PlistDictionary {
        func parent(_ role: PlistString, _ input: MergeInput) -> PlistValue {
            ["Role": .string(role), "Name": .name(input.opened.name), "TreeDigest": .string(PlistString(input.digest.hex))]
        }
        return ["Parents": [parent("ours", inputs[1]), parent("theirs", inputs[2]), parent("base", inputs[0])]]
    }
}
