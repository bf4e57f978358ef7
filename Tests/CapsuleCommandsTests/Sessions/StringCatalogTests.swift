import Testing

/// Xcode's string catalogs. Without this, a translator's change is a page of JSON pointers, and two new strings are a conflict.
@Suite struct StringCatalogTests {
    private let session: Session

    init() throws {
        session = try Session([:])
        try session.python(
            """
            import copy, json, os
            def unit(value, state="translated"): return {"stringUnit": {"state": state, "value": value}}
            def put(name, catalog):
                os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
                open(name, "w").write(json.dumps(catalog, ensure_ascii=False, indent=2, separators=(",", " : ")))
            days = {"localizations": {"en": {"variations": {"plural": {"one": unit("%lld day"), "other": unit("%lld days")}}}}}
            greeting = {"comment": "x", "localizations": {"de": unit("Hallo", "needs_review"), "en": unit("Hello")}}
            old = {"sourceLanguage": "en", "strings": {"days": days, "greeting": greeting, "old": {"localizations": {"en": unit("Old", "new")}}}, "version": "1.0"}
            new = copy.deepcopy(old)
            new["strings"]["greeting"]["localizations"].update(de=unit("Servus"), fr=unit("Salut", "new"))
            new["strings"]["greeting"]["comment"] = "y"
            new["strings"]["days"]["localizations"]["en"]["variations"]["plural"]["one"] = unit("one day")
            del new["strings"]["old"]
            new["strings"]["wide"] = {"localizations": {"de": unit("Breit"), "en": unit("Wide")}}
            put("A/Localizable.xcstrings", old)
            put("B/Localizable.xcstrings", new)
            def with_strings(*names): return {"sourceLanguage": "en", "strings": {name: {"localizations": {"en": unit(name)}} for name in names}, "version": "1.0"}
            put("base.xcstrings", with_strings("a", "z"))
            put("ours.xcstrings", with_strings("a", "b", "z"))
            put("theirs.xcstrings", with_strings("a", "c", "z"))
            put("all.xcstrings", with_strings("a", "b", "c", "z"))
            value, state = copy.deepcopy(old), copy.deepcopy(old)
            value["strings"]["greeting"]["localizations"]["de"] = unit("Servus", "needs_review")
            state["strings"]["greeting"]["localizations"]["de"] = unit("Hallo")
            put("value.xcstrings", value)
            put("state.xcstrings", state)
            """)
    }

    @Test func stringsAndLanguages() throws {
        let lines = """
            ~ Localizable.xcstrings (xcstrings)
                ~ days (en, plural one): "%lld day" → "one day"
                ~ greeting, comment: "x" → "y"
                ~ greeting (de): "Hallo" → "Servus", needs review → translated
                + greeting (fr): "Salut", new
                - old: "Old" (en, new)
                + wide: "Breit" (de), "Wide" (en)
            """
        try session.expect(
            """
            [1] $ capsule diff A B
            \(lines)
            [1] $ capsule diff A/Localizable.xcstrings B/Localizable.xcstrings
            \(lines)
            """)
    }

    /// Other values are shown as in other JSON, and nothing of a new string is left out.
    @Test func otherValues() throws {
        try session.python(
            """
            import json
            def put(name, unit): open(name, "w").write(json.dumps({"sourceLanguage": "en", "strings": {"a": {"localizations": {"de": {"stringUnit": unit}}}}}))
            put("1.xcstrings", {"value": "A", "note": 1})
            put("2.xcstrings", {"value": "A", "note": 2})
            put("3.xcstrings", {"value": "A"})
            put("4.xcstrings", {"value": "A", "state": "x_y"})
            def put_new(name, strings): open(name, "w").write(json.dumps({"sourceLanguage": "en", "strings": strings}))
            put_new("5.xcstrings", {})
            put_new("6.xcstrings", {"b": {"comment": "c", "localizations": {"de": {"stringUnit": {"value": "B"}, "x": 1}}}})
            """)
        try session.expect(
            """
            [1] $ capsule diff 1.xcstrings 2.xcstrings
            ~ 2.xcstrings (xcstrings)
                ~ /strings/a/localizations/de/stringUnit: {"value": "A", "note": 1} → {"value": "A", "note": 2}
            [1] $ capsule diff 3.xcstrings 4.xcstrings
            ~ 4.xcstrings (xcstrings)
                ~ a (de): none → x y
            [1] $ capsule diff 5.xcstrings 6.xcstrings
            ~ 6.xcstrings (xcstrings)
                + b: comment: "c", (de): {"stringUnit": {"value": "B"}, "x": 1}
            """)
    }

    /// Both sides add a string at the same place, which git calls a conflict.
    @Test func merges() throws {
        // The second command would show another layout as `encoding only`.
        try session.expect(
            """
            $ capsule merge base.xcstrings ours.xcstrings theirs.xcstrings -o merged.xcstrings -q
            $ capsule diff merged.xcstrings all.xcstrings
            """)
    }

    /// A text that was translated anew is not reviewed because the old one was.
    @Test func unitsAreWhole() throws {
        try session.expect(
            """
            [1] $ capsule merge A/Localizable.xcstrings value.xcstrings state.xcstrings -o merged.xcstrings
            conflict 1: value /strings/greeting/localizations/de/stringUnit: both changed: base {"state": "needs_review", "value": "Hallo"}, \
            ours {"state": "needs_review", "value": "Servus"}, theirs {"state": "translated", "value": "Hallo"}
            1 open conflict: the result was not written
            > capsule: hint: '--prefer' takes one side; '--conflicts FILE' lists the conflicts for '--resolve FILE'
            """)
    }
}
