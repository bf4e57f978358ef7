import TestSupport
import Testing

@Suite struct ToolPathTests {
    @Test func onLinuxThePathStays() {
        #expect(ToolPath.path("/a:/b", isApple: false) { _ in true } == "/a:/b")
    }

    @Test func onAMacInstalledToolsOfGNUComeFirst() {
        let path = ToolPath.path("/usr/bin:/bin", isApple: true) { $0.contains("/opt/homebrew/opt/gnu-") }
        #expect(
            path == "/opt/homebrew/opt/gnu-sed/libexec/gnubin:/opt/homebrew/opt/gnu-tar/libexec/gnubin:/usr/bin:/bin")
    }

    @Test func bothPlacesOfHomebrewAreLookedAt() {
        var asked: [String] = []
        let path = ToolPath.path("/bin", isApple: true) {
            asked.append($0)
            return $0 == "/usr/local/opt/findutils/libexec/gnubin"
        }
        #expect(path == "/usr/local/opt/findutils/libexec/gnubin:/bin")
        #expect(asked.first == "/opt/homebrew/opt/coreutils/libexec/gnubin")
        #expect(asked.count == ToolPath.prefixes.count * ToolPath.formulas.count)
    }

    @Test func aPythonThatIsAScriptIsPassedOver() {
        func quick(_ files: [String: Bool], _ path: String = "/shims:/usr/bin:/bin") -> String? {
            ToolPath.quickPython(path) { files[$0] }
        }
        #expect(quick(["/shims/python3": true, "/usr/bin/python3": false, "/bin/python3": false]) == "/usr/bin")
        #expect(quick(["/usr/bin/python3": false, "/bin/python3": true]) == nil)
        #expect(quick(["/shims/python3": true]) == nil)
        #expect(quick([:], "") == nil)
    }

    @Test func withoutHomebrewThePathStays() {
        #expect(ToolPath.path("/bin", isApple: true) { _ in false } == "/bin")
        #expect(ToolPath.path("", isApple: true) { _ in false } == "")
    }
}
