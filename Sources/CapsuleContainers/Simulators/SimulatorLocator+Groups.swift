import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// An app's groups on a simulator, in the form that ``ContainerOptions/groups`` has.
struct SimulatorGroups: Sendable {
    var groups: [(identifier: [UInt8], directory: HostPath)] = []
    /// A sentence that says how the groups were found, if that is a guess.
    var note: String?
    var warnings: [CapsuleError] = []
}

extension SimulatorLocator {
    /// Returns the groups of an app that exist on its simulator: those that its entitlements name. If the app's executable has
    /// none, or can't be read, these are the groups that are named after the app.
    func groups(of app: LocatedContainer) throws(CapsuleError) -> SimulatorGroups {
        var found = SimulatorGroups()
        let held = try tree.containers(of: app.simulator, .group)
        found.warnings = held.damaged.map(\.warning)
        var entitled: Set<String>?
        do throws(CapsuleError) {
            entitled = try entitledGroups(of: app)
        } catch {
            found.warnings.append(error)
        }
        let meant = held.whole.filter { entitled?.contains($0.identifier) ?? $0.goesBy(app.identifier) }
        for (identifier, containers) in Dictionary(grouping: meant, by: \.identifier).sorted(by: { $0.key < $1.key }) {
            let name = Array(identifier.utf8)
            guard containers.count == 1, (try? RelativePath.root.appending(name)) != nil else {
                found.warnings.append(Self.skipped(identifier, containers))
                continue
            }
            found.groups.append((name, containers[0].path))
        }
        if entitled == nil, !found.groups.isEmpty {
            let names = found.groups.map { QuotedBytes($0.identifier).text }.joined(separator: ", ")
            found.note = "\(app.identifier) has no readable entitlements, so its app groups are those named after it: \(names)"
        }
        return found
    }

    private static func skipped(_ identifier: String, _ containers: [LocatedContainer]) -> CapsuleError {
        containers.count == 1
            ? CapsuleError("skipped: the name of the app group is not valid", path: containers[0].path)
            : CapsuleError(
                "skipped: the simulator has \(containers.count) app groups with this name",
                path: HostPath(Array(identifier.utf8)),
                hint: "'--group ID=DIR' selects one")
    }

    /// Returns the groups that the entitlements name; nil if the app has no entitlements or no bundle.
    private func entitledGroups(of app: LocatedContainer) throws(CapsuleError) -> Set<String>? {
        let bundles = try tree.containers(of: app.simulator, .bundle).whole.filter { $0.identifier == app.identifier }
        guard bundles.count == 1, let document = try AppEntitlements.read(in: try RootDirectory(bundles[0].path)) else {
            return nil
        }
        guard let list = try? PlistDocument.read(document, accepting: PlistFormat.xmlOrBinary).value.dictionary else {
            throw CapsuleError("the app's entitlements are not a property list", path: bundles[0].path)
        }
        return Set(list["com.apple.security.application-groups"]?.array?.compactMap { $0.string?.string } ?? [])
    }
}

/// The entitlements of an app that was built for a simulator. The linker puts them in the executable; its signature has none.
enum AppEntitlements {
    private static let section = MachOSection(
        segment: "__TEXT", name: "__entitlements", limit: ContainerMetadata.longestDocument)

    /// Returns the property list in the executable of an app bundle; nil if the app has no executable or no entitlements. No link
    /// in the bundle is followed.
    static func read(in bundle: RootDirectory) throws(CapsuleError) -> [UInt8]? {
        guard
            let info = try? bundle.readFile(named: Array("Info.plist".utf8), limit: ContainerMetadata.longestDocument),
            let name = ContainerMetadata.string(in: info, ["CFBundleExecutable"]),
            let entry = try? RelativePath.root.appending(name)
        else { return nil }
        let path = bundle.hostPath(of: entry)
        do throws(CapsuleError) {
            let file = try bundle.openFile(entry)
            let status = try Syscall.status(of: file.raw, path: path)
            guard status.kind == .file else { return nil }
            return try section.read(size: UInt64(status.size)) { (offset, count) throws(CapsuleError) in
                try [UInt8](reading: count) { (room) throws(CapsuleError) in
                    try Syscall.read(file.raw, at: offset, into: room, path: path)
                }
            }
        } catch {
            if error.code == .notFound { return nil }
            throw CapsuleError(error.code, "no entitlements are read: \(error.message)", path: path)
        }
    }
}
