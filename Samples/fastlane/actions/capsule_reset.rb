require "json"
require "open3"
require "shellwords"

module Fastlane
  module Actions
    # Makes an app's data equal to a saved version.
    class CapsuleResetAction < Action
      def self.run(params)
        command = ["capsule", "restore", params[:version], params[:container], "--json"]
        command += ["--drop", params[:drop].join(",")] if params[:drop]
        command += ["--simctl"] if params[:simctl]
        command += ["--rebase-paths"] if params[:rebase_paths]
        UI.command(command.shelljoin)
        output, status = Open3.capture2(*command)
        UI.user_error!("capsule could not restore #{params[:version]}") unless status.success?
        UI.success("Restored #{params[:version]}")
        JSON.parse(output.lines.last)
      end

      def self.description
        "Make an app's data equal to a version of a capsule"
      end

      def self.available_options
        [
          FastlaneCore::ConfigItem.new(
            key: :version, env_name: "CAPSULE_VERSION",
            description: "The version, such as base.capsule@clean, or a bundle from Xcode"
          ),
          FastlaneCore::ConfigItem.new(
            key: :container, env_name: "CAPSULE_CONTAINER",
            description: "The app's data, such as sim:booted/com.example.gifs"
          ),
          FastlaneCore::ConfigItem.new(
            key: :simctl, env_name: "CAPSULE_SIMCTL", type: Boolean, default_value: true,
            description: "Stop the app, and the daemon that caches its preferences, before that"
          ),
          FastlaneCore::ConfigItem.new(
            key: :rebase_paths, env_name: "CAPSULE_REBASE_PATHS", type: Boolean, default_value: false,
            description: "Correct paths that the app stored in its property lists"
          ),
          FastlaneCore::ConfigItem.new(
            key: :drop, env_name: "CAPSULE_DROP", type: Array, optional: true,
            description: "The classes of files to delete and not restore, such as scene-sessions"
          )
        ]
      end

      def self.return_value
        "What capsule restore --json prints, as a hash"
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
