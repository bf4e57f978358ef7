require "json"
require "open3"
require "shellwords"

module Fastlane
  module Actions
    module SharedValues
      CAPSULE_CHANGES = :CAPSULE_CHANGES
    end

    # Compares two states of an app's data, and checks what changed.
    class CapsuleChangesAction < Action
      def self.run(params)
        command = ["capsule", "diff", params[:before], params[:after], "--json"]
        command += ["--expect", params[:expect]] if params[:expect]
        command += ["--rules", params[:rules]] if params[:rules]
        command += ["--html", params[:html]] if params[:html]
        command += ["--junit", params[:junit]] if params[:junit]
        UI.command(command.shelljoin)
        output, status = Open3.capture2(*command)
        # 1: something differs, or the expectation did not pass.
        UI.user_error!("capsule could not compare #{params[:before]} and #{params[:after]}") unless [0, 1].include?(status.exitstatus)

        lines = output.lines.map { |line| JSON.parse(line) }
        Actions.lane_context[SharedValues::CAPSULE_CHANGES] = lines
        findings = lines.select { |line| line["kind"] == "finding" }
        findings.each { |finding| UI.error(finding["message"]) }
        if params[:expect] && status.exitstatus == 1
          UI.test_failure!("#{params[:expect]} failed: #{findings.length} finding(s)")
        end
        UI.success("#{lines.last["changes"]} change(s)")
        lines
      end

      def self.description
        "Compare two states of an app's data, and check what changed"
      end

      def self.available_options
        [
          FastlaneCore::ConfigItem.new(
            key: :before, env_name: "CAPSULE_BEFORE", description: "The state before, such as base.capsule@clean"
          ),
          FastlaneCore::ConfigItem.new(
            key: :after, env_name: "CAPSULE_AFTER", description: "The state after, such as sim:booted/com.example.gifs"
          ),
          FastlaneCore::ConfigItem.new(
            key: :expect, env_name: "CAPSULE_EXPECT", optional: true,
            description: "The expectation; the lane fails if it does not pass"
          ),
          FastlaneCore::ConfigItem.new(
            key: :rules, env_name: "CAPSULE_RULES", description: "A file with noise rules", optional: true
          ),
          FastlaneCore::ConfigItem.new(
            key: :html, env_name: "CAPSULE_HTML", description: "Where to write a page for a browser", optional: true
          ),
          FastlaneCore::ConfigItem.new(
            key: :junit, env_name: "CAPSULE_JUNIT", optional: true,
            description: "Where to write a report for CI systems; needs an expectation"
          )
        ]
      end

      def self.output
        [["CAPSULE_CHANGES", "The lines of capsule diff --json, as hashes"]]
      end

      def self.return_value
        "The lines of capsule diff --json, as hashes: docs/json.md describes them"
      end

      def self.authors
        ["Capsule"]
      end

      def self.is_supported?(platform)
        [:ios, :mac].include?(platform)
      end
    end
  end
end
