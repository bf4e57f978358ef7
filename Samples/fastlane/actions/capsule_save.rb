require "json"
require "open3"
require "shellwords"

module Fastlane
  module Actions
    # Saves an app's data as the next version of a capsule.
    class CapsuleSaveAction < Action
      def self.run(params)
        command = ["capsule", "pack", params[:container], "--append", "-o", params[:file], "--json"]
        command += ["--label", params[:label]] if params[:label]
        command += ["--move-label"] if params[:move_label]
        command += ["--drop", params[:drop].join(",")] if params[:drop]
        UI.command(command.shelljoin)
        output, status = Open3.capture2(*command)
        UI.user_error!("capsule could not save #{params[:container]}") unless status.success?
        version = JSON.parse(output.lines.last)
        UI.success("Saved version #{version["number"]} in #{params[:file]}")
        version
      end

      def self.description
        "Save an app's data as a version of a capsule"
      end

      def self.available_options
        [
          FastlaneCore::ConfigItem.new(
            key: :container, env_name: "CAPSULE_CONTAINER",
            description: "The app's data, such as sim:booted/com.example.gifs"
          ),
          FastlaneCore::ConfigItem.new(
            key: :file, env_name: "CAPSULE_FILE", description: "The capsule, which is created if it does not exist"
          ),
          FastlaneCore::ConfigItem.new(
            key: :label, env_name: "CAPSULE_LABEL", description: "The label of the version", optional: true
          ),
          FastlaneCore::ConfigItem.new(
            key: :move_label, env_name: "CAPSULE_MOVE_LABEL", type: Boolean, default_value: false,
            description: "Move the label if another version has it"
          ),
          FastlaneCore::ConfigItem.new(
            key: :drop, env_name: "CAPSULE_DROP", type: Array, optional: true,
            description: "The classes of files to leave out, such as caches and tmp"
          )
        ]
      end

      def self.return_value
        "The version as a hash: number, label, entries, bytes and what else capsule pack --json prints"
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
