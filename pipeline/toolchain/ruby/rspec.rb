# Loaded into rspec beside the repository's own options: names the example that runs,
# so that one that ends the process is known, and leaves examples out by name.
require "rspec/core"

class WidesweRunning
  RSpec::Core::Formatters.register self, :start, :example_started, :example_finished

  def self.name_of(metadata)
    return metadata[:full_description].to_s unless metadata[:description].to_s.empty?
    "#{metadata[:full_description].to_s.rstrip} [#{metadata[:scoped_id]}]"
  end

  def initialize(output)
    @output = output
  end

  # How many examples were loaded and chosen: what is not run of them was not come to.
  def start(notification)
    say "= #{notification.count}"
  end

  def example_started(notification)
    say "> #{self.class.name_of(notification.example.metadata)}"
  end

  def example_finished(notification)
    say "<"
  end

  private

  def say(line)
    @output.puts line.gsub(/[\r\n]/, " ")
    @output.flush
  end
end

wideswe_names = lambda do |variable|
  file = ENV.delete(variable)
  file && File.readlines(file, chomp: true, encoding: "UTF-8")
end
wideswe_skip = wideswe_names.call("WIDESWE_SKIP")
wideswe_only = wideswe_names.call("WIDESWE_ONLY")
# What differs from run to run is not part of a name.
wideswe_plain = ->(name) { name.gsub(/[\r\n]/, " ").gsub(/(#<[\w:]+):0x\h{8,16}/, '\1:0xADDR').strip }
if wideswe_skip || wideswe_only
  RSpec.configure do |config|
    config.filter_run_excluding(full_description: lambda do |_, metadata|
      name = wideswe_plain.call(WidesweRunning.name_of(metadata))
      wideswe_skip&.include?(name) || (wideswe_only && !wideswe_only.include?(name))
    end)
  end
end
