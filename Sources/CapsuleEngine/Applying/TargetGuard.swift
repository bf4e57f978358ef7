import CapsuleArchive
import CapsuleCore
import CapsuleFileSystem

/// Refuses what would harm a target or what it is changed with.
struct TargetGuard {
    private let target: LiveTarget

    init(_ target: LiveTarget) { self.target = target }

    /// What takes the change back must not be part of what is changed, nor take the place of what is read.
    ///
    /// - Parameter inputs: the containers and overlays that are read, as they were named.
    func refuse(undo: OverlayOutput?, overwriting inputs: [[UInt8]]) throws(CapsuleError) {
        guard let undo, undo.path != .standardStream else { return }
        try ReadPlaces(inputs, changed: target.roots.map(\.path.bytes)).refuse(undo.path, flag: "--undo")
        if try FileProbe.exists(undo.path) {
            throw CapsuleError(
                .exists, "already exists, and may be the undo file of an earlier change", path: undo.path,
                hint: "choose another file")
        }
    }

    /// A container must not be restored from what lies in it, from what it lies in, or from itself.
    func refuse(source: Container) throws(CapsuleError) {
        var path: HostPath
        switch try source.resolve() {
        case .live(let directory): path = directory
        case .capsule(let capsule, _): path = capsule.file.path
        case .archive(let file, _): path = file.path
        }
        if HostPath(source.argument) == .standardStream {
            guard let file = RealPath.ofStandardInput() else { return }
            path = file
        }
        for root in target.roots where try FileProbe.leads(path, to: root.path) {
            throw CapsuleError(
                .usage, "is inside the container to restore, or is that container", path: path,
                hint: "move it out of the container first")
        }
        for root in target.roots { try ReadPlaces([path.bytes]).refuse(root.path, hint: "restore it from a capsule") }
    }
}
