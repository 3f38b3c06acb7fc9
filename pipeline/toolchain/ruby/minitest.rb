# Loaded before a file of minitest's or test-unit's tests: writes what comes of each
# as TAP, and before it which one runs, beside whatever reporters the repository has.
module WidesweTAP
  FILE = ENV.delete("WIDESWE_TAP")
  OWNER = Process.pid
  LOCK = Mutex.new
  OUT = File.open(FILE, "a:UTF-8")
  OUT.sync = true
  OUT.close_on_exec = true
  @count = 0
  @filtered = ARGV.any? { |a| a.start_with?("-") } # before minitest takes them

  class << self
    def clean(text)
      text.to_s.dup.force_encoding("UTF-8").scrub.gsub(/[\r\n]+/, " ")
    end

    def running(name)
      return if Process.pid != OWNER
      LOCK.synchronize { OUT.puts "# running #{clean(name)}" }
    end

    # An outcome is :pass, :skip, :fail or :error.
    def result(name, outcome, message = nil)
      return if Process.pid != OWNER
      LOCK.synchronize do
        @count += 1
        bad = outcome == :fail || outcome == :error
        line = "#{"not " if bad}ok #{@count} - #{clean(name).gsub("\\", "\\\\\\\\").gsub("#", "\\#")}"
        line << " # SKIP #{clean(message)[0, 500]}" if outcome == :skip
        text = message.to_s.dup.force_encoding("UTF-8").scrub.lines.first(60).map { |l| "# #{l.chomp}\n" }.join
        OUT.write("#{line}\n#{bad ? text : ""}")
      end
    end

    # How many tests there are, where all of them are to run.
    def planned
      return if Process.pid != OWNER
      count = ::Minitest::Runnable.runnables.sum { |suite| suite.runnable_methods.size }
      LOCK.synchronize { OUT.puts "# planned #{count}" }
    rescue StandardError
      nil # a suite of a library's that lists its tests otherwise
    end

    def finish
      return if Process.pid != OWNER
      LOCK.synchronize { OUT.puts "1..#{@count}" unless @finished }
      @finished = true
    end
  end

  module Minitest
    def start
      unless WidesweTAP.top # others may stand within it
        WidesweTAP.top = self
        WidesweTAP.planned unless WidesweTAP.filtered
      end
      super
    end

    def prerecord(klass, name)
      WidesweTAP.running("#{klass}##{name}") if equal?(WidesweTAP.top)
      super
    end

    def record(result)
      super
      return unless equal?(WidesweTAP.top)
      klass = result.respond_to?(:klass) ? result.klass : result.class
      outcome = result.skipped? ? :skip : result.passed? ? :pass : result.error? ? :error : :fail
      WidesweTAP.result("#{klass}##{result.name}", outcome, result.failures.map { |f| "#{f.message}\n#{(f.backtrace || []).first(20).join("\n")}" }.join("\n"))
    end

    def report
      super
    ensure
      WidesweTAP.finish if equal?(WidesweTAP.top)
    end
  end

  module TestUnit
    def run(result, *rest, &block)
      before = result.faults.size
      label = "#{self.class}##{respond_to?(:local_name) ? local_name : method_name}"
      WidesweTAP.running(label)
      begin
        super
      ensure
        faults = result.faults[before..-1] || []
        kinds = faults.map { |f| f.class.name.to_s[/\w+\z/] }
        outcome = if kinds.include?("Error") then :error
        elsif kinds.include?("Failure") then :fail
        elsif (kinds & %w[Omission Pending]).any? then :skip
        else :pass
        end
        if $!.nil? || $!.is_a?(StandardError)
          WidesweTAP.result(label, outcome, faults.map(&:long_display).join("\n"))
        end
      end
    end
  end

  # A test that ends the process leaves no plan behind.
  module TestUnitEnd
    def run(*rest)
      super.tap { WidesweTAP.finish }
    end
  end

  class << self
    attr_accessor :top, :filtered

    # The libraries are the repository's: each is hooked once it is loaded.
    def hook
      if !@minitest && defined?(::Minitest::CompositeReporter)
        ::Minitest::CompositeReporter.prepend(Minitest)
        @minitest = true
      end
      if !@unit && defined?(::Test::Unit::TestCase) && ::Test::Unit::TestCase.method_defined?(:run) && defined?(::Test::Unit::TestResult)
        ::Test::Unit::TestCase.prepend(TestUnit)
        @unit = true
      end
      if !@mediator && defined?(::Test::Unit::UI::TestRunnerMediator) && ::Test::Unit::UI::TestRunnerMediator.method_defined?(:run)
        ::Test::Unit::UI::TestRunnerMediator.prepend(TestUnitEnd)
        @mediator = true
      end
    end
  end
end

# In front of Kernel's own, which bundler puts back to what it was.
Object.prepend(Module.new do
  private

  def require(name)
    super.tap { WidesweTAP.hook if name.to_s.match?(/minitest|test.unit/) }
  end
end)
