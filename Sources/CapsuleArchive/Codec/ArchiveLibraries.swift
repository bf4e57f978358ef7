import CArchive
import CDeflate
import CZlib
import CZstd

package enum ArchiveLibraries {
    /// The libraries that read and write archives, with the versions that they report, such as `zlib 1.2.13`. libdeflate can't be asked,
    /// so its version is the header's.
    package static var versions: [String] {
        let reported: [(name: String, version: UnsafePointer<CChar>?)] = [
            ("zlib", zlibVersion()), ("zstd", ZSTD_versionString()), ("liblzma", archive_liblzma_version()),
            ("bzip2", archive_bzlib_version()),
        ]
        // bzip2 adds a date: "1.0.8, 13-Jul-2019".
        return [String(cString: archive_version_string()), "libdeflate \(LIBDEFLATE_VERSION_STRING)"]
            + reported.compactMap { library in
                library.version.map { "\(library.name) \(String(cString: $0).prefix { $0 != "," })" }
            }
    }
}
