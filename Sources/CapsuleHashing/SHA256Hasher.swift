package import CapsuleCore

#if canImport(CommonCrypto)
    import CommonCrypto
#else
    import CCrypto
#endif

/// A running SHA-256 (FIPS 180-4): OpenSSL's libcrypto on Linux, CommonCrypto on Apple systems.
package struct SHA256Hasher: ~Copyable {
    #if canImport(CommonCrypto)
        private var context = CC_SHA256_CTX()

        package init() {
            CC_SHA256_Init(&context)
        }

        /// Takes in bytes.
        package mutating func update(_ bytes: UnsafeRawBufferPointer) {
            // CC_LONG is 32 bits wide.
            var rest = bytes
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
                CC_SHA256_Update(&context, piece.baseAddress, CC_LONG(piece.count))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            }
        }

        /// The digest of all bytes since the last call, and a fresh start.
        package mutating func finish() -> ContentDigest {
            let digest = ContentDigest { output in
                _ = CC_SHA256_Final(output.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
            }
            CC_SHA256_Init(&context)
            return digest
        }
    #else
        private let context: OpaquePointer

        /// Fetched once: by name it costs more than hashing a short message (EVP_MD_fetch(3)).
        nonisolated(unsafe) private static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

        package init() {
            // libcrypto fails here only when memory has run out, where Swift's own allocations end the process too.
            guard let context = EVP_MD_CTX_new() else { fatalError("no memory for a digest") }
            self.context = context
            EVP_DigestInit_ex2(context, Self.algorithm, nil)
        }

        deinit {
            EVP_MD_CTX_free(context)
        }

        /// Takes in bytes.
        package mutating func update(_ bytes: UnsafeRawBufferPointer) {
            EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        }

        /// The digest of all bytes since the last call, and a fresh start.
        package mutating func finish() -> ContentDigest {
            let digest = ContentDigest { output in
                EVP_DigestFinal_ex(context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
            }
            EVP_DigestInit_ex2(context, Self.algorithm, nil)
            return digest
        }
    #endif

    /// Takes in a digest's 32 bytes.
    package mutating func update(_ digest: ContentDigest) {
        digest.withBytes { update($0) }
    }

    /// Takes in an array's bytes.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of `bytes` alone; what was taken in before is dropped into it, so call it on a fresh hasher.
    package mutating func digest(of bytes: UnsafeRawBufferPointer) -> ContentDigest {
        update(bytes)
        return finish()
    }

    /// The digest of an array's bytes.
    package static func digest(of bytes: [UInt8]) -> ContentDigest {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finish()
    }
}
