// Every key there is, by the type of its value. `nil`, `false` and an empty list mean "not given".

extension ArgumentKey where Value == Bool {
    /// `--allow-changing`
    static var allowChanging: Self { Self(.allowChanging) }
    /// `--check`
    static var check: Self { Self(.check) }
    /// `--deep`
    static var deep: Self { Self(.deep) }
    /// `--different-app`
    static var differentApp: Self { Self(.differentApp) }
    /// `--expand`
    static var expand: Self { Self(.expand) }
    /// `-f`, `--force`
    static var force: Self { Self(.force) }
    /// `--json`
    static var json: Self { Self(.json) }
    /// `-l`, `--long`
    static var longListing: Self { Self(.longListing) }
    /// `--no-cache`
    static var noCache: Self { Self(.noCache) }
    /// `--plist`
    static var plist: Self { Self(.plist) }
    /// `-q`, `--quiet`
    static var quiet: Self { Self(.quiet) }
    /// `--skip-unreadable`
    static var skipUnreadable: Self { Self(.skipUnreadable) }
    /// `--strict`
    static var strict: Self { Self(.strict) }
    /// `-v`, `--verbose`
    static var verbose: Self { Self(.verbose) }
}

extension ArgumentKey where Value == [UInt8] {
    /// CONTAINER
    static var container: Self { Self(.container) }
    /// FILE of `verify`
    static var file: Self { Self(.file) }
    /// PATH of `cat`
    static var path: Self { Self(.path) }
    /// TARGET of `apply`
    static var target: Self { Self(.target) }
}

extension ArgumentKey where Value == [UInt8]? {
    /// `-C`, `--directory`
    static var directory: Self { Self(.flag(.directory)) }
    /// DIR of `generate man`
    static var manDirectory: Self { Self(.positional(.manDirectory)) }
    /// `-o`, `--output`; `-` is standard output
    static var output: Self { Self(.flag(.output)) }
}

extension ArgumentKey where Value == [[UInt8]] {
    /// `--exclude`, each of them
    static var exclude: Self { Self(.flag(.exclude)) }
    /// OVERLAY... of `apply`
    static var overlays: Self { Self(.positional(.overlays)) }
    /// PATH... of `ls` and `unpack`
    static var paths: Self { Self(.positional(.paths)) }
}

extension ArgumentKey where Value == [NamedValue] {
    /// `--define NAME=VALUE`, each of them
    static var definitions: Self { Self(.define) }
    /// `--group ID=DIR`, each of them
    static var groups: Self { Self(.group) }
}

extension ArgumentKey where Value == String? {
    /// `--label`
    static var label: Self { Self(.label) }
    /// `--note`
    static var note: Self { Self(.note) }
    /// `--target`
    static var targetPath: Self { Self(.target) }
}

extension ArgumentKey where Value == [String] {
    /// `--arrays`, each of them
    static var arrays: Self { Self(.arrays) }
    /// `--when`, each of them
    static var when: Self { Self(.when) }
}

extension ArgumentKey where Value == Int? {
    /// `-j`, `--jobs`; without it CAPSULE_JOBS counts, then the number of cores
    static var jobs: Self { Self(.jobs) }
    /// `--level`, within the codec's levels
    static var level: Self { Self(.level) }
}

extension ArgumentKey where Value == Int {
    /// `--lock-timeout`, in seconds
    static var lockTimeout: Self { Self(.lockTimeout, default: 10) }
}

extension ArgumentKey where Value == ColorChoice {
    /// `--color`
    static var color: Self { Self(.flag(.color), default: .auto) }
}

extension ArgumentKey where Value == CodecChoice? {
    /// `--codec`; the default is gzip
    static var codec: Self { Self(.codec) }
}

extension ArgumentKey where Value == UnpackForm? {
    /// `--as`; the default is the layout's own form
    static var unpackForm: Self { Self(.unpackForm) }
}

extension ArgumentKey where Value == Shell {
    /// bash, zsh or fish, of `generate completions`
    static var shell: Self { Self(.positional(.shell), default: .bash) }
}
