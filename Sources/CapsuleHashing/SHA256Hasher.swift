#if canImport(CommonCrypto)
import CommonCrypto
#else
import CCrypto
#endif

/// A running SHA-256 computation (FIPS 180-4): OpenSSL's libcrypto on Linux, CommonCrypto on Apple systems.
package struct SHA256Hasher: ~Copyable {
    #if canImport(CommonCrypto)
    private var context = CC_SHA256_CTX()

    /// The name and the version of the library; nil if the system has it.
    package static var library: String? { nil }

    package init() {
        CC_SHA256_Init(&context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // CC_LONG is 32 bits wide.
        var rest = bytes
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            CC_SHA256_Update(&context, piece.baseAddress, CC_LONG(piece.count))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
        }
    }

    /// Returns the digest of all bytes since the last call, and starts again.
    package mutating func finish() -> ContentDigest {
        let digest = ContentDigest { output in
            _ = CC_SHA256_Final(output.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
        }
        CC_SHA256_Init(&context)
        return digest
    }
    #else
    // The plain functions, not EVP: EVP first looks up a provider, which takes a millisecond that would be noticeable in `cat` and `info`.
    private var context = SHA256_CTX()

    /// The name and the version of the library, such as `OpenSSL 3.0.19`.
    package static var library: String? { "OpenSSL \(String(cString: OpenSSL_version(OPENSSL_FULL_VERSION_STRING)))" }

    package init() {
        SHA256_Init(&context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    package mutating func finish() -> ContentDigest {
        let digest = ContentDigest { output in
            SHA256_Final(output.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
        }
        SHA256_Init(&context)
        return digest
    }
    #endif

    package mutating func update(_ digest: ContentDigest) {
        digest.withBytes { update($0) }
    }

    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds `bytes`, returns the digest and starts again. It is the digest of `bytes` alone only if nothing was added before.
    package mutating func digest(of bytes: UnsafeRawBufferPointer) -> ContentDigest {
        update(bytes)
        return finish()
    }

    package static func digest(of bytes: [UInt8]) -> ContentDigest {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finish()
    }
}
