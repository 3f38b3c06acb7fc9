# The Gemfile of a run, outside the tree: the package's own, with siblings taken from
# their working trees. The file beside it named "wired" has a gem and its folder a
# line. Where a file "system" lies there, nothing could be fetched: the gems that the
# distribution has stand in, in whatever version, and the others are left out.
here = __dir__
at = File.join(ENV.fetch("WIDESWE_REPO"), File.read(File.join(here, "dir")).chomp)
stand_in = File.exist?(File.join(here, "system"))
wired = File.readlines(File.join(here, "wired"), chomp: true).to_h { |line| line.split(" ", 2) }
wired.transform_values! { |folder| File.join(ENV.fetch("WIDESWE_WORKSPACE"), folder) }
declared = []
# What a gem asks for, without the gem: its tree is on the load path.
asked = lambda do |file|
  specification = Dir.chdir(File.dirname(file)) { Gem::Specification.load(file) } or next
  specification.dependencies.each { |d| gem(d.name) }
end

singleton_class.prepend(Module.new do
  # Any Ruby will do: the recipe's is asked for elsewhere.
  define_method(:ruby) { |*| }

  define_method(:gem) do |name, *args|
    options = args.last.is_a?(Hash) ? args.pop : {}
    if wired.key?(name)
      next if declared.include?(name)
      declared << name
      next super(name, path: wired[name], **options.slice(:require, :group, :groups)) unless stand_in
      asked.call(File.join(wired[name], "#{name}.gemspec"))
      next
    end
    unless stand_in
      declared << name
      next options.empty? ? super(name, *args) : super(name, *args, options)
    end
    next if declared.include?(name)
    if Gem::Specification.find_all_by_name(name).empty?
      warn "the distribution has no #{name}"
      next
    end
    declared << name
    super(name, options.slice(:require, :group, :groups))
  end

  define_method(:gemspec) do |options = nil|
    next(options ? super(options) : super()) unless stand_in
    folder = File.join(at, (options || {})[:path] || ".")
    Dir[File.join(folder, "#{(options || {})[:name] || "*"}.gemspec")].sort.each(&asked)
  end

  %i[git github gist path source].each do |kind|
    define_method(kind) do |*args, **options, &block|
      next(options.empty? ? super(*args, &block) : super(*args, **options, &block)) unless stand_in
      block&.call
    end
  end
end)

source Gem.sources.to_a.first.to_s unless stand_in || File.exist?(File.join(at, "Gemfile"))
if File.exist?(File.join(at, "Gemfile"))
  eval_gemfile File.join(at, "Gemfile")
elsif stand_in
  gemspec
else
  gemspec path: at
end
wired.each_key { |name| gem(name) unless declared.include?(name) }
# The runner, where the manifest leaves it to the machine.
File.readlines(File.join(here, "runners"), chomp: true).each do |name|
  gem(name) unless declared.any? { |d| d == name || d.start_with?("#{name}-") }
end
