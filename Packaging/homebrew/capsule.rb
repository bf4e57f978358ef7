class CapsuleAppdata < Formula
  desc "Pack, compare, restore and merge the data containers of iOS apps"
  homepage "@HOMEPAGE@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build] # the package is of swift-tools-version 6.2
  depends_on "libarchive" # macOS has no headers for its own
  depends_on "libdeflate"
  depends_on macos: :sequoia
  depends_on "zstd"

  uses_from_macos "curl"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    # Not `make build`, which would call brew. SwiftPM's own sandbox can't be made inside of Homebrew's.
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "capsule"
    system ".ci/make-http", ".build/release/capsule-http"
    system "make", "install-files", "PREFIX=#{prefix}", "CAPSULE=.build/release/capsule"
  end

  test do
    data = testpath/"Data"
    (data/"Documents").mkpath
    (data/"Documents/note.txt").write "before"
    system bin/"capsule", "pack", data, "-o", testpath/"data.capsule", "--label", "before"
    (data/"Documents/note.txt").write "after"
    (data/"Documents/more.txt").write "more"
    system bin/"capsule", "pack", data, "-o", testpath/"data.capsule", "--append", "--label", "after"
    system bin/"capsule", "verify", "--strict", testpath/"data.capsule"

    changes = shell_output("#{bin}/capsule diff --name-status data.capsule@before data.capsule@after", 1)
    assert_equal "A\tDocuments/more.txt\nM\tDocuments/note.txt\n", changes
    assert_equal "before", shell_output("#{bin}/capsule cat data.capsule@before Documents/note.txt")

    system bin/"capsule", "restore", testpath/"data.capsule@before", data
    assert_equal "before", (data/"Documents/note.txt").read
    refute_path_exists data/"Documents/more.txt"
    system bin/"capsule", "unpack", testpath/"data.capsule@after", "-o", testpath/"unpacked"
    assert_equal "after", (testpath/"unpacked/Documents/note.txt").read

    assert_path_exists libexec/"capsule/capsule-http"
    assert_path_exists man1/"capsule-restore.1"
    assert_match "capsule #{version}", shell_output("#{bin}/capsule --version")
  end
end
