# frozen_string_literal: true

# Loads a formula as Homebrew does, as far as it goes without Homebrew: checks what it declares, and runs `install` and `test`.
#
# usage: ruby load_formula.rb FORMULA SOURCES PROGRAM PLACE
#
# SOURCES is the unpacked tarball, PROGRAM a capsule that is built already: `swift build` is recorded and not run, and PROGRAM stands
# for what it makes. All other commands run. PLACE is an empty directory for what is installed. Exit 0 if all is well; else an
# error says what is not.

require "fileutils"
require "open3"
require "pathname"

# A failed expectation.
class Wrong < StandardError; end

# Homebrew gives `mkpath` and `/` by Pathname, and lets it write; Pathname of Ruby has the rest.
class Formula
  DECLARED = %i[desc homepage url version sha256 license].freeze

  class << self
    attr_reader :facts, :dependencies, :from_macos, :test_block

    def inherited(formula)
      super
      formula.instance_exec { @facts, @dependencies, @from_macos, @test_block = {}, [], [], nil }
      (@formulas ||= []) << formula
    end

    def formulas = @formulas || []

    DECLARED.each do |name|
      define_method(name) do |value|
        raise Wrong, "#{name} is declared twice" if facts.key?(name)
        raise Wrong, "#{name} is not a string" unless value.is_a?(String)

        facts[name] = value
      end
    end

    def depends_on(dependency) = dependencies << dependency

    def uses_from_macos(name) = from_macos << name

    def test(&block)
      raise Wrong, "there are two test blocks" if test_block

      @test_block = block
    end
  end

  attr_reader :commands, :prefix, :testpath

  def initialize(program, place)
    @program = program
    @prefix = Pathname(place)/"prefix"
    @testpath = Pathname(place)/"test"
    @commands = []
    @prefix.mkpath
    @testpath.mkpath
  end

  def bin = prefix/"bin"
  def libexec = prefix/"libexec"
  def man1 = prefix/"share/man/man1"
  def version = self.class.facts.fetch(:version)

  # Homebrew's fails the build if the command does.
  def system(*words)
    words = words.map(&:to_s)
    @commands << words
    return stand_in if words[0, 2] == %w[swift build]

    raise Wrong, "failed: #{words.join(" ")}" unless Kernel.system(*words, out: File::NULL)
  end

  def shell_output(command, status = 0)
    output, found = Open3.capture2(command)
    raise Wrong, "status #{found.exitstatus}, not #{status}: #{command}" unless found.exitstatus == status

    output
  end

  def assert_equal(wanted, found)
    raise Wrong, "#{found.inspect} is not #{wanted.inspect}" unless wanted == found
  end

  def assert_match(wanted, found)
    raise Wrong, "#{found.inspect} does not have #{wanted.inspect}" unless found.match?(wanted.is_a?(String) ? Regexp.escape(wanted) : wanted)
  end

  def assert_path_exists(path)
    raise Wrong, "#{path} is missing" unless File.exist?(path)
  end

  def refute_path_exists(path)
    raise Wrong, "#{path} is there" if File.exist?(path)
  end

  private

  def stand_in
    FileUtils.mkdir_p(".build/release")
    FileUtils.cp(@program, ".build/release/capsule")
  end
end

# What Homebrew's own audit asks of any formula, and what this one needs.
def check(formula)
  facts = formula.facts
  missing = Formula::DECLARED - facts.keys
  raise Wrong, "not declared: #{missing.join(", ")}" unless missing.empty?
  raise Wrong, "a placeholder is left" if facts.values.any? { |value| value.match?(/@[A-Z0-9]+@/) }
  raise Wrong, "the digest is none" unless facts[:sha256].match?(/\A[0-9a-f]{64}\z/)
  raise Wrong, "the version is none" unless facts[:version].match?(/\A\d+\.\d+\.\d+\z/)

  desc = facts[:desc]
  raise Wrong, "the description is not one line of 80 characters without a period" if desc.length > 80 || desc.end_with?(".")
  raise Wrong, "the description begins with an article or the name" if desc.match?(/\A(an?|the|capsule)\b/i)

  wanted = [
    { "pkgconf" => :build }, { xcode: ["26.0", :build] }, "libarchive", "libdeflate", { macos: :sequoia }, "zstd"
  ]
  raise Wrong, "depends on #{formula.dependencies.inspect}" unless formula.dependencies == wanted
  raise Wrong, "uses #{formula.from_macos.inspect} of macOS" unless formula.from_macos == %w[curl sqlite zlib]
  raise Wrong, "there is no install" unless formula.method_defined?(:install, false)
  raise Wrong, "there is no test" unless formula.test_block
end

def run(formula, sources, program, place)
  instance = formula.new(program, place)
  Dir.chdir(sources) { instance.install }
  wanted = %w[swift build --disable-sandbox -c release --product capsule]
  raise Wrong, "builds by #{instance.commands.first.inspect}" unless instance.commands.first == wanted
  raise Wrong, "runs more than it should: #{instance.commands.inspect}" unless instance.commands.length == 3

  %w[
    bin/capsule libexec/capsule/capsule-http share/man/man1/capsule.1 share/man/man5/capsule.5 share/bash-completion/completions/capsule
    share/zsh/site-functions/_capsule share/fish/vendor_completions.d/capsule.fish
  ].each { |name| raise Wrong, "#{name} is not installed" unless (instance.prefix/name).size? }

  Dir.chdir(instance.testpath) { instance.instance_exec(&formula.test_block) }
  verbs = instance.commands.drop(3).map { |words| words[1] }
  raise Wrong, "the test runs #{verbs.join(" ")} alone" unless (%w[pack verify restore unpack] - verbs).empty?
end

abort "usage: ruby load_formula.rb FORMULA SOURCES PROGRAM PLACE" unless ARGV.length == 4
begin
  path, sources, program, place = ARGV.map { |argument| File.expand_path(argument) }
  load path
  raise Wrong, "there are #{Formula.formulas.length} formulas" unless Formula.formulas.length == 1
  raise Wrong, "the class is not named after the file" unless Formula.formulas.first.name.downcase == File.basename(path, ".rb").delete("-")

  check(Formula.formulas.first)
  run(Formula.formulas.first, sources, program, place)
rescue Wrong => e
  abort "load_formula: #{e.message}"
end
