import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// Reads the directories of a set of simulators. No link below them is followed.
struct SimulatorTree {
    /// A directory that can't be read, and so might be the one that was searched for.
    struct Damage {
        let udid: String
        let path: HostPath
        let reason: String

        /// Returns lines for an error that such directories may have caused: one for each of the first ten, and one for the number
        /// of others.
        static func lines(_ damaged: [Damage]) -> [String] {
            let lines = damaged.prefix(shown).map { "\($0.path): skipped: \($0.reason)" }
            let others = damaged.count - shown
            if others <= 0 { return lines }
            return lines + [others == 1 ? "1 other skipped" : "\(others) others skipped"]
        }

        private static let shown = 10

        var warning: CapsuleError { CapsuleError("skipped: \(reason)", path: path) }
    }

    /// The containers of one kind on a simulator: those that could be read, by identifier, and those that could not.
    struct Containers {
        var whole: [LocatedContainer] = []
        var damaged: [Damage] = []
    }

    private let top: RootDirectory

    init(_ devices: HostPath) throws(CapsuleError) {
        do throws(CapsuleError) {
            top = try RootDirectory((try? RealPath.resolve(devices)) ?? devices)
        } catch {
            guard error.code == .notFound || error.code == .throughLink else { throw error }
            throw CapsuleError(
                .notFound, error.code == .notFound ? "there are no simulators: directory does not exist" : "is not a directory",
                path: devices, hint: SimulatorSet.missingHint)
        }
    }

    var path: HostPath { top.path }

    /// Returns the simulators, by name and UDID, and the directories whose simulators can't be identified. A directory that has
    /// neither a valid `device.plist` nor containers is a leftover of a deleted simulator, so it is skipped.
    func simulators() throws(CapsuleError) -> (whole: [Simulator], damaged: [Damage]) {
        var whole: [Simulator] = []
        var damaged: [Damage] = []
        for udid in try Self.uuids(in: top) {
            let directory = Array(udid.utf8)
            let reason: String
            do throws(CapsuleError) {
                let document = try top.readFile(try Self.path(directory, Self.description), limit: Self.longestDocument)
                if let simulator = Simulator(udid: udid, document: document) {
                    whole.append(simulator)
                    continue
                }
                reason = "its device.plist is not a valid description of a simulator"
            } catch {
                reason = error.code == .notFound ? "it has no device.plist" : "its device.plist: \(error.message)"
            }
            if Self.hasContainers(directory, in: top) {
                damaged.append(Damage(udid: udid, path: top.path.appending(directory), reason: reason))
            }
        }
        whole.sort { ($0.name, $0.udid) < ($1.name, $1.udid) }
        return (whole, damaged)
    }

    func containers(
        of simulator: Simulator, _ kind: LocatedContainer.Kind
    ) throws(CapsuleError) -> Containers {
        var containers = Containers()
        let place: RootDirectory
        do throws(CapsuleError) {
            place = try top.subdirectory(try Self.path(Array(simulator.udid.utf8), kind.place))
        } catch {
            if error.code == .notFound || error.code == .throughLink { return containers }
            containers.damaged.append(Damage(udid: simulator.udid, path: error.path ?? top.path, reason: error.message))
            return containers
        }
        for uuid in try Self.uuids(in: place) {
            switch kind == .bundle ? Self.bundle(uuid, in: place) : Self.identity(uuid, in: place) {
            case .nothing: break
            case .found(let found):
                containers.whole.append(
                    LocatedContainer(
                        simulator: simulator, kind: kind, identifier: found.identifier, name: found.name, uuid: uuid,
                        path: place.path.appending(Array(uuid.utf8) + found.path)))
            case .damaged(let reason):
                containers.damaged.append(
                    Damage(udid: simulator.udid, path: place.path.appending(Array(uuid.utf8)), reason: reason))
            }
        }
        containers.whole.sort { ($0.identifier, $0.uuid) < ($1.identifier, $1.uuid) }
        return containers
    }

    private enum ReadResult {
        /// A leftover of a deleted container.
        case nothing
        /// A container with its owner's identifier.
        /// - Parameter path: the path from the container's directory, with its leading slash.
        case found((identifier: String, name: String?, path: [UInt8]))
        case damaged(String)
    }

    private static func identity(_ uuid: String, in place: RootDirectory) -> ReadResult {
        do throws(CapsuleError) {
            let document = try place.readFile(try path(Array(uuid.utf8), ContainerNames.identity), limit: longestDocument)
            guard let identifier = ContainerMetadata(info: nil, identity: document).bundleIdentifier else {
                return .damaged("its metadata plist does not name its owner")
            }
            return .found((String(decoding: identifier, as: UTF8.self), nil, []))
        } catch {
            return error.code == .notFound ? .nothing : .damaged("its metadata plist: \(error.message)")
        }
    }

    /// Identifies a bundle by its `Info.plist`, or by the metadata plist if that is not possible.
    private static func bundle(_ uuid: String, in place: RootDirectory) -> ReadResult {
        let apps: [[UInt8]]
        do throws(CapsuleError) {
            apps = try place.subdirectory(try path(Array(uuid.utf8), [])).names().directories
                .filter { $0.count > appSuffix.count && $0.suffix(appSuffix.count).elementsEqual(appSuffix) }
                .sorted { $0.lexicographicallyPrecedes($1) }
        } catch {
            return error.code == .notFound ? .nothing : .damaged(error.message)
        }
        for app in apps {
            guard let file = try? path(Array(uuid.utf8), app + Array("/Info.plist".utf8)),
                let info = try? place.readFile(file, limit: longestDocument),
                let identifier = ContainerMetadata.string(in: info, ["CFBundleIdentifier"])
            else { continue }
            let name = ContainerMetadata.string(in: info, ["CFBundleDisplayName", "CFBundleName"]) ?? stem(of: app)
            return .found(
                (String(decoding: identifier, as: UTF8.self), String(decoding: name, as: UTF8.self), [UInt8(ascii: "/")] + app))
        }
        guard let app = apps.first else { return .nothing }
        guard case .found(let found) = identity(uuid, in: place), apps.count == 1 else {
            return .damaged("its owner is in neither an Info.plist nor a metadata plist")
        }
        return .found((found.identifier, String(decoding: stem(of: app), as: UTF8.self), [UInt8(ascii: "/")] + app))
    }

    private static func stem(of app: [UInt8]) -> [UInt8] { Array(app.dropLast(appSuffix.count)) }

    private static let description = Array("device.plist".utf8)
    private static let appSuffix = Array(".app".utf8)
    private static let containers = Array("data/Containers".utf8)
    private static let longestDocument = ContainerMetadata.longestDocument

    /// Returns the names of the directories that are named by UUIDs, sorted.
    private static func uuids(in directory: RootDirectory) throws(CapsuleError) -> [String] {
        let names = try directory.names().directories
        return names.filter(ContainerNaming.isUUID).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    private static func hasContainers(_ directory: [UInt8], in top: RootDirectory) -> Bool {
        guard let path = try? path(directory, containers) else { return false }
        return (try? top.subdirectory(path)) != nil
    }

    /// Returns the path of a name below a directory. Both are Capsule's own names, or come from a listing.
    private static func path(_ directory: [UInt8], _ rest: [UInt8]) throws(CapsuleError) -> RelativePath {
        let bytes = rest.isEmpty ? directory : directory + [UInt8(ascii: "/")] + rest
        guard let path = try? RelativePath(validating: bytes) else {
            throw CapsuleError.tooLarge("open", HostPath(bytes))
        }
        return path
    }
}
