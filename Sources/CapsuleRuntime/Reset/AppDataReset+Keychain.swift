#if canImport(Security)
import Foundation
import Security

extension AppDataReset {
    /// Deletes every item that the app has access to (SecItemDelete).
    static func resetKeychain() throws(AppDataError) {
        let classes = [
            kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey, kSecClassIdentity,
        ]
        for kind in classes {
            var query: [CFString: Any] = [kSecClass: kind, kSecAttrSynchronizable: kSecAttrSynchronizableAny]
            #if os(macOS)
            // Else it would be the user's login keychain.
            query[kSecUseDataProtectionKeychain] = true
            #endif
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw AppDataError(
                    .keychain, "keychain", "cannot delete items of class \(kind): status \(status)", number: status)
            }
        }
    }
}
#endif
