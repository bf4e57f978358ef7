# Samples/fastlane: the actions, with stand-ins for fastlane's classes, and the options that the lanes give them.
. "$LIB"
need ruby python3
mkdir bin
ln -s "$CAPSULE" bin/capsule
PATH=$PWD/bin:$PATH
samples
cat > fastlane.rb << 'END'
module Fastlane
  Boolean = :boolean
  class Failure < StandardError; end
  class Action; end
  UI = Object.new
  class << UI
    %i[command success error].each { |level| define_method(level) { |text| puts "#{level}: #{text}" } }
    %i[user_error! test_failure!].each { |level| define_method(level) { |text| raise Failure, "#{level} #{text}" } }
  end
  module Actions
    def self.lane_context = @lane_context ||= {}
  end
  # Calls an action by its name, with options that fastlane would take.
  def self.call(name, **given)
    action = Actions.const_get(name.split("_").map(&:capitalize).join + "Action")
    options = action.available_options
    unknown = given.keys - options.map(&:key)
    raise ArgumentError, "no option #{unknown} of #{name}" unless unknown.empty?
    params = options.to_h do |option|
      value = given.fetch(option.key, option.default_value)
      raise ArgumentError, "#{option.key} is missing" if value.nil? && !option.optional
      raise ArgumentError, "#{option.key} is not a list" if value && option.type == Array && !value.is_a?(Array)
      [option.key, value]
    end
    raise "nothing is told of #{name}" unless action.description && action.return_value && action.authors.any?
    raise "not for iOS" unless action.is_supported?(:ios) && !action.is_supported?(:android)
    action.run(params)
  end
end
module FastlaneCore
  ConfigItem = Struct.new(:key, :env_name, :description, :type, :optional, :default_value, keyword_init: true)
end
ARGV.shift(3).each { |file| load file }
END
cat > test.rb << 'END'
require_relative "fastlane"
def fails(pattern)
  yield
rescue Fastlane::Failure => error
  raise "another failure: #{error}" unless error.message.match?(pattern)
else
  raise "no failure: #{pattern}"
end
expectation = ARGV.pop
before, after = "Gifs before.xcappdata", "Gifs-after.xcappdata"
File.rename("Gifs-before.xcappdata", before)
first = Fastlane.call("capsule_save", container: before, file: "base.capsule", label: "clean", drop: %w[caches tmp])
raise "version #{first}" unless first["number"] == 1 && first["label"] == "clean" && first["entries"] < 69
fails(/user_error! capsule could not save/) { Fastlane.call("capsule_save", container: before, file: "base.capsule", label: "clean") }
second = Fastlane.call("capsule_save", container: before, file: "base.capsule", label: "clean", move_label: true)
raise "version #{second}" unless second["number"] == 2 && second["entries"] == 69

lines = Fastlane.call("capsule_changes", before: "base.capsule@clean", after: after, html: "report.html")
raise "no changes" unless lines.last["kind"] == "end" && lines.last["changes"] > 20
raise "not for the lane" unless Fastlane::Actions.lane_context[:CAPSULE_CHANGES].equal?(lines)
Fastlane.call("capsule_changes", before: "base.capsule@clean", after: after, expect: expectation, junit: "report.xml")
fails(/test_failure! .* failed: [1-9]\d* finding/) do
  Fastlane.call("capsule_changes", before: after, after: "base.capsule@clean", expect: expectation)
end
fails(/user_error! capsule could not compare/) { Fastlane.call("capsule_changes", before: "base.capsule@none", after: after) }

done = Fastlane.call("capsule_reset", version: "base.capsule@clean", container: after, simctl: false)
raise "not written: #{done}" unless done["written"]
same = Fastlane.call("capsule_changes", before: "base.capsule@clean", after: after)
raise "it differs" unless same.last["changes"].zero?
fails(/user_error! capsule could not restore/) do
  Fastlane.call("capsule_reset", version: "none.capsule", container: after, simctl: false)
end
END
actions=$SAMPLES/fastlane/actions
status 0 ruby test.rb "$actions/capsule_save.rb" "$actions/capsule_reset.rb" "$actions/capsule_changes.rb" "$SAMPLES/expectations/run.plist"
says out '^command: capsule pack Gifs\\ before.xcappdata --append -o base.capsule --json --label clean --drop caches,tmp$'
says out '^error: missing: '
present report.html report.xml

# The lanes name actions that there are, with options that these have.
ok ruby -c "$SAMPLES/fastlane/Fastfile"
cat > lanes.rb << 'END'
require_relative "fastlane"
def default_platform(*) = nil
def platform(*) = yield
def desc(*) = nil
def lane(*) = yield
def run_tests(**) = nil
%w[capsule_save capsule_reset capsule_changes].each do |name|
  define_method(name) do |**given|
    Fastlane::Actions.const_get(name.split("_").map(&:capitalize).join + "Action").define_singleton_method(:run) { |params| puts name }
    Fastlane.call(name, **given)
  end
end
load ARGV.pop
END
ok ruby lanes.rb "$actions/capsule_save.rb" "$actions/capsule_reset.rb" "$actions/capsule_changes.rb" "$SAMPLES/fastlane/Fastfile"
printf '%s\n' capsule_reset capsule_changes capsule_save > wanted
same out wanted
