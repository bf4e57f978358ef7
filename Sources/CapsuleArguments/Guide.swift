/// A subject that `capsule help` explains besides the verbs: a card with the words of a grammar, a format or a report.
package struct Guide: Sendable {
    let topic: String
    /// The subject in one line, in lower case and without a period.
    let summary: String
    /// Words that users try for this topic.
    let otherWords: [String]
    /// Lines for a terminal of 80 columns.
    let card: String
    /// The place of the full text.
    let source: String

    static let all: [Guide] = [.containers, .remote, .expectations, .rules, .reports, .overlays, .format]

    static func named(_ topic: some Sequence<UInt8>) -> Guide? {
        all.first { $0.topic.utf8.elementsEqual(topic) }
    }

    var text: String { "capsule help \(topic): \(summary)\n\n\(card)\n\nMore: \(source)\n" }

    private static let containers = Guide(
        topic: "containers", summary: "what a CONTAINER argument can be",
        otherWords: ["container", "directory", "sim", "simulator", "version", "versions", "xcappdata"],
        card: """
            A CONTAINER is one of:
                X.xcappdata             a bundle that Xcode downloaded from a device
                DIRECTORY               the data directory of an app, from Device Hub, of a
                                        simulator or of a sandboxed macOS app; any other
                                        directory is packed and compared as plain files
                FILE.capsule[@VERSION]  a version of a capsule: a number, a label, first,
                                        latest (the default), or ~1 for the one before it
                ARCHIVE                 .tar, .tar.gz, .tar.zst, .tar.xz, .tar.bz2, .zip or
                                        .ipa with any of these
                sim:[DEVICE/]BUNDLE-ID  the data of an app on a simulator; DEVICE is a UDID,
                                        a name, or booted. 'capsule locate' lists them.
                -                       a capsule or an archive on standard input
                ADDRESS[@VERSION]       a capsule on a server; see 'capsule help remote'

            The data of an app on the booted simulator, and two versions of a capsule:

                    capsule pack sim:booted/com.example.gifs
                    capsule diff fixtures.capsule@~1 fixtures.capsule@login
            """,
        source: "capsule(1), docs/pack.md")

    private static let remote = Guide(
        topic: "remote", summary: "capsules in registries and on web servers",
        otherWords: [
            "auth", "docker", "http", "https", "login", "oci", "password", "proxy", "registry", "registries", "server", "share",
        ],
        card: """
            An ADDRESS is one of:
                oci://HOST/NAME[:TAG]       a registry, over https (over http on localhost);
                                            @sha256:DIGEST behind it names exact bytes
                oci+http://HOST/NAME[:TAG]  a registry without TLS
                oci:DIRECTORY[:TAG]         an OCI image layout on this machine
                https://HOST/PATH           a file on a web server
            With @VERSION behind it, an address is a container like any other, and only
            what a command needs is fetched. A file with such a name needs ./ before it.

            Passwords are those of 'docker login', 'podman login' or 'oras login'; CI sets
            CAPSULE_REGISTRY_HOST, CAPSULE_REGISTRY_USERNAME, CAPSULE_REGISTRY_PASSWORD.
            A private certificate authority: ~/.config/containers/certs.d/HOST:PORT/ca.crt

                    capsule push gifs.capsule oci://reg.example.com/gifs:main
                    capsule diff oci://reg.example.com/gifs:main@base Data
            """,
        source: "capsule-push(1), docs/remote.md")

    private static let expectations = Guide(
        topic: "expectations", summary: "what a run may change (diff --expect)",
        otherWords: ["assertions", "expect", "expectation", "expected", "gate", "verdict"],
        card: """
            An expectation is a property list or JSON:
                CapsuleExpectation  1
                Must       clauses that have to fit a change
                May        clauses that allow the changes they fit
                MustNot    clauses that fit no change, even if another allows it
                Other      fail (the default) or allow: a change that no clause fits
                Noise      ignore (the default) or check: noise has to be allowed too
            A clause is a match, with what the entry is after the change, and:
                Count      how many changes fit: a number, or {"Min": 1, "Max": 3}
                Note       a text for reports
                Digest, Size, ContentDigest, Target, Type    of the entry
            \(matches)

                    {"CapsuleExpectation": 1,
                     "Must": [{"Table": "Gif", "Kind": "added", "Row": {"title": "fox"}}],
                     "May": [{"Pointer": "/launches", "To": {"Min": 1, "Max": 9}}],
                     "MustNot": [{"Path": "Documents/**", "Kind": "deleted"}]}

                    capsule diff A B --expect-write run.json
            """,
        source: "capsule-diff(5), docs/diff-files.md")

    private static let rules = Guide(
        topic: "rules", summary: "which changes are noise (diff --rules)",
        otherWords: ["classes", "learn", "matches", "noise", "noise-rules", "rule"],
        card: """
            A file of rules is a property list or JSON. The last rule that fits decides.
                CapsuleRules   1
                Classes    a dictionary from names of classes to their descriptions
                Rules      matches, each with a Class and an optional Note
            The class signal is never noise. Built-in classes, which come first: core-data,
            sqlite, scene-sessions, splashboard, caches, system, tmp, cookies-order.
            \(matches)

                    {"CapsuleRules": 1, "Classes": {"clock": "times"}, "Rules": [
                      {"Class": "clock", "Path": "Library/Preferences/*.plist",
                       "Pointer": "/last*", "To": {"Is": "date"}},
                      {"Class": "signal", "Path": "Library/Saved Application State/**",
                       "Pointer": "_delegateClassName"}]}

                    capsule diff idle-1.xcappdata idle-2.xcappdata --learn rules.json
            """,
        source: "capsule-diff(5), docs/diff-files.md")

    /// The grammar that rules and expectations share.
    private static let matches = """
        A match fits a change if all its keys fit:
            Path       a pattern: * within a name, ** across /, ?, [a-z], [!a-z]
            Pointer    a place in a property list or JSON; anywhere without a leading /
            Table      a table or a Core Data entity; * is any text
            Column     a column or an attribute
            Row        a dictionary from columns to forms
            Kind       one or an array: added deleted modified renamed type order, or
                       value row schema text bytes image cookie metadata encoding
            From, To   forms of the old and the new value; Value is short for To
        A form is a value, or a dictionary with one or more of these:
            Is         date uuid container-path string integer real boolean data null
                       absent
            Like       a pattern for a text
            Min, Max   numbers or dates
            Equals, Digest    the value itself, its SHA-256
        """

    private static let reports = Guide(
        topic: "reports", summary: "what diff --name-status and diff --json print",
        otherWords: ["json", "letters", "name-status", "porcelain", "report"],
        card: """
            --name-status prints a letter, a tab and the path of each entry; -z ends each
            with NUL. The letter is the first that applies; with --all a lower-case letter
            marks noise:
                T      a different type
                R100   renamed: the old path, a tab, the new path
                A, D   added, deleted
                M      different content, or a link with a different target
                E      the same value in a different encoding
                P      different mode or attributes, or with --times a different time

            --json prints one object per line: a header, each entry and its changes, the
            noise by class, the findings of an expectation, and an end or an error:

                    {"kind":"noise","class":"caches","changes":9}
                    {"kind":"end","status":1,"changes":14,"noise":9,"complete":true}

                    capsule diff A B --name-status -z
                    capsule diff A B --json
            """,
        source: "capsule-diff(5), docs/diff-files.md, docs/json.md")

    private static let overlays = Guide(
        topic: "overlays", summary: "what apply takes: partial property lists and patches",
        otherWords: ["identities", "merge-patch", "operations", "patch", "patches", "pointers"],
        card: """
            An overlay is a partial property list, which is merged deeply, a JSON object
            (a merge patch, RFC 7396), a JSON array (a patch, RFC 6902), or a document:
                CapsuleOverlay   1
                Name, Note       shown in reports
                When             conditions: {NAME: true, false, a text, an array of texts}
                Arrays           patterns: keyed(KEY), keyed(KEY?), set, ordered or replace
                Targets          without it, the document itself is the target
                Files            whole files: Path, Old, New, which have Kind, Mode, Time,
                                 Attributes, Target, Size, Digest, Chunks
            A target has When, and:
                Path, Root       a path or pattern in AppData, AppBundle or AppGroup:ID
                Create, Encode   xml or binary: of a new file, of the result
                Remove, Merge    pointers, a partial property list
                Operations       dictionaries of op, path, value, from, when; op is one of
                                 add remove replace move copy test (RFC 6902), insert (never
                                 replaces), merge, union, subtract (elements of arrays)
            A pointer is /a/b/0 (RFC 6901). In an array a step is an index, - for the end,
            [KEY=VALUE] or [=VALUE]; into data it is <plist>, <json>, <zlib> or <archive>.
            --expand replaces $(NAME) and $(NAME:OPERATOR) in values and in Path.

                    <plist version="1.0"><dict>
                      <key>CFBundleDisplayName</key><string>Test</string>
                    </dict></plist>

                    {"CapsuleOverlay": 1, "When": {"CONFIGURATION": "Debug"},
                     "Remove": ["/UIRequiresFullScreen"],
                     "Merge": {"CFBundleDisplayName": "$(PRODUCT_NAME) Test"},
                     "Operations": [
                       {"op": "union", "path": "/UIBackgroundModes", "value": ["fetch"]}]}
            """,
        source: "capsule-overlay(5), docs/overlay.md, docs/overlay-forms.md")

    private static let format = Guide(
        topic: "format", summary: "what a capsule file contains",
        otherWords: ["archive", "capsule", "file", "footer", "index", "manifest", "members"],
        card: """
            A capsule is a chain of gzip members or zstd frames, and a .tar.gz or .tar.zst
            of its first version. It is neither encrypted nor signed. The members:
                D   data: the tar stream; in later versions the bytes of new files
                B   index block: a run of entries, with digests and places of bytes
                I   index root: the blocks, the tree digest and the content digest
                M   manifest: a property list about the version
                F   footer: the places and digests of I and M; ends the version
            The manifest, which 'capsule info --plist' prints:
                FormatVersion           1
                Version, Label, Note    number, label and note
                Name, Layout            name in the tar stream; container or directory
                Captured, Source        when, and from what: Kind, BundleIdentifier, Archive
                Groups                  the app groups
                Overlays, Overlay       stored overlays; the document of an overlay capsule
                Parents                 reserved
                TreeDigest, ContentDigest, IndexDigest
                Entries, Bytes          how many, and how much
                Omitted                 Path and Reason of what was left out

                    tar tzf fixtures.capsule
                    capsule verify --strict fixtures.capsule
            """,
        source: "capsule(5), docs/format.md")
}
