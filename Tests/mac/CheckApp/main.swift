import CapsuleRuntime
import Foundation

#if canImport(Security)
import Security
#endif
#if canImport(UIKit)
import UIKit
#endif

// The app that Tests/mac/check.sh installs on a simulator of its own. It does what its arguments say, in order, and prints the results.
//
//   --seed         installs the data in the bundle, after a reset if `--ResetData` is given too
//   --write TEXT   writes TEXT to the app's defaults and to a file
//   --login TEXT   saves TEXT in the keychain, in place of what is there
//   --show         prints all of it
//   --stay         keeps running

/// Runs the arguments.
enum CheckApp {
    /// The app's environment. On other systems than Apple's, the data is in HOME.
    private static var environment: AppEnvironment {
        #if canImport(Darwin)
        return .current
        #else
        let home = URL(fileURLWithPath: ProcessInfo.processInfo.environment["HOME"] ?? "", isDirectory: true)
        return AppEnvironment(home: home, bundleIdentifier: "com.example.capsule-check") { _ in nil }
        #endif
    }

    static func run(_ arguments: [String]) throws {
        let note = URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("Documents/note.txt")
        if arguments.contains("--seed") {
            if let reset = try AppDataReset.perform([.files, .defaults], in: environment) {
                print("reset: \(reset.deleted.count)")
            }
            print("seed: \(try AppDataSeed(named: "Seed").install(policy: .ifEmpty, in: environment))")
        }
        if let place = arguments.firstIndex(of: "--write"), place + 1 < arguments.count {
            let text = arguments[place + 1]
            UserDefaults.standard.set(text, forKey: "check")
            UserDefaults.standard.synchronize()
            try FileManager.default.createDirectory(at: note.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: note)
            print("wrote: \(text)")
        }
        if let place = arguments.firstIndex(of: "--login"), place + 1 < arguments.count {
            print("login: \(Login.save(arguments[place + 1]))")
        }
        if arguments.contains("--show") {
            print("login: \(Login.saved)")
            print("default: \(UserDefaults.standard.string(forKey: "check") ?? "none")")
            print("note: \((try? String(contentsOf: note, encoding: .utf8)) ?? "none")")
        }
    }
}

/// An item in the keychain.
enum Login {
    #if canImport(Security)
    private static var item: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "capsule-check",
            kSecAttrAccount as String: "check",
        ]
    }

    static func save(_ text: String) -> String {
        SecItemDelete(item as CFDictionary)
        let status = SecItemAdd(item.merging([kSecValueData as String: Data(text.utf8)]) { $1 } as CFDictionary, nil)
        return status == errSecSuccess ? "saved" : "error \(status)"
    }

    static var saved: String {
        var found: CFTypeRef?
        let status = SecItemCopyMatching(item.merging([kSecReturnData as String: true]) { $1 } as CFDictionary, &found)
        guard status == errSecSuccess, let data = found as? Data else { return "error \(status)" }
        return String(decoding: data, as: UTF8.self)
    }
    #else
    static func save(_ text: String) -> String { "no keychain" }
    static var saved: String { "no keychain" }
    #endif
}

do {
    try CheckApp.run(Array(CommandLine.arguments.dropFirst()))
} catch {
    print("error: \(error)")
}
fflush(nil)
if CommandLine.arguments.contains("--stay") {
    #if canImport(UIKit)
    _ = UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, nil)
    #else
    while true { sleep(60) }
    #endif
}
