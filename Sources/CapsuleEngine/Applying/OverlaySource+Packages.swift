import CapsuleCore
import CapsulePropertyList

extension OverlaySource {
    /// An overlay, and what it is called in messages.
    typealias Named = (package: OverlayPackage, name: String)

    /// The app that it was made for, where it says so.
    func bundleIdentifier() throws(CapsuleError) -> PlistString? {
        switch form {
        case .file: nil
        case .package(let package): package.origin?.source.bundleIdentifier
        case .container(let container): try container.open(ContainerOptions()).source.bundleIdentifier
        }
    }

    /// The overlays: that of a file or of an overlay capsule, or those that a capsule's version carries.
    ///
    /// - Parameter target: the Path of the parts that are taken; a plain overlay is taken as one for it. nil for all.
    func packages(for target: String?) throws(CapsuleError) -> [Named] {
        let all = try packages()
        guard let target else { return all }
        var chosen: [Named] = []
        var refusal: CapsuleError?
        for (package, name) in all {
            var package = package
            do throws(OverlayError) {
                package.overlay = try package.overlay.taking(target)
                chosen.append((package, name))
            } catch {
                refusal = refusal ?? CapsuleError("\(name): \(error.message)", hint: error.hint)
            }
        }
        // Of several that a capsule carries, some may be for other files.
        if chosen.isEmpty, let refusal { throw refusal }
        return chosen
    }

    private func packages() throws(CapsuleError) -> [Named] {
        let name = String(decoding: argument, as: UTF8.self)
        guard case .container(let container) = form else { return [(try package(), name)] }
        var overlays: [Named] = []
        for (number, overlay) in try container.open(ContainerOptions()).readOverlays().enumerated() {
            overlays.append((OverlayPackage(overlay: overlay), "overlay \(number + 1) of \(name)"))
        }
        guard !overlays.isEmpty else {
            throw CapsuleError(
                "is a container without overlays", path: HostPath(argument),
                hint: "'capsule restore' restores it into a container; 'capsule pack --overlay' adds overlays")
        }
        return overlays
    }
}
