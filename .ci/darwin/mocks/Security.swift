// Stands for Apple's framework Security: the signatures that the package uses, and no behavior.

public import Foundation

public nonisolated(unsafe) let kSecClass: CFString = constant()
public nonisolated(unsafe) let kSecClassGenericPassword: CFString = constant()
public nonisolated(unsafe) let kSecClassInternetPassword: CFString = constant()
public nonisolated(unsafe) let kSecClassCertificate: CFString = constant()
public nonisolated(unsafe) let kSecClassKey: CFString = constant()
public nonisolated(unsafe) let kSecClassIdentity: CFString = constant()
public nonisolated(unsafe) let kSecAttrSynchronizable: CFString = constant()
public nonisolated(unsafe) let kSecAttrSynchronizableAny: CFString = constant()
public nonisolated(unsafe) let kSecUseDataProtectionKeychain: CFString = constant()

public var errSecSuccess: OSStatus { 0 }
public var errSecItemNotFound: OSStatus { -25300 }

public func SecItemDelete(_ query: CFDictionary) -> OSStatus { fatalError() }

private func constant() -> CFString { fatalError() }
