import CapsuleCore
import Testing

@Suite struct VersionSelectorTests {
    @Test(arguments: ["a", "v1", "1a", "a.b-c_d", "-", ".", "_", "1.0", "0x1", "Latest", "FIRST", "latest2", "before"])
    func labels(text: String) {
        #expect(VersionLabel(text)?.text == text)
        #expect(VersionSelector(text)?.text == text)
    }

    @Test(arguments: ["", "1", "007", "latest", "first", "a b", "a/b", "é", "a@b", "~1", "a\n", "a:b"])
    func noLabels(text: String) {
        #expect(VersionLabel(text) == nil)
    }

    @Test(arguments: [
        ("1", VersionSelector.number(1)), ("42", .number(42)), ("4294967295", .number(.max)), ("latest", .beforeLatest(0)),
        ("first", .first), ("~0", .latest), ("~1", .beforeLatest(1)), ("~12", .beforeLatest(12)),
    ])
    func selectors(text: String, selector: VersionSelector) {
        #expect(VersionSelector(text) == selector)
    }

    @Test(arguments: ["", "~", "~x", "~-1", "4294967296", "99999999999999999999", "a b", "@", "1 "])
    func noSelectors(text: String) {
        #expect(VersionSelector(text) == nil)
    }

    @Test(arguments: [(VersionSelector.number(3), "3"), (.latest, "latest"), (.beforeLatest(2), "~2"), (.first, "first")])
    func selectorsAreSpelled(selector: VersionSelector, text: String) {
        #expect(selector.text == text)
        #expect(VersionSelector(text) == selector)
    }
}
