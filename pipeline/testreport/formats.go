package testreport

import (
	"maps"
	"slices"
)

// The formats that [Parse] reads, each in a file of its own.
const (
	GoTest   = "gotest"   // go test -json
	Libtest  = "libtest"  // what cargo test printed, or what it left file by file
	JUnit    = "junit"    // JUnit XML, in the dialects of its many writers
	TAP      = "tap"      // Test Anything Protocol 12 to 14
	Jest     = "jest"     // jest --json
	Vitest   = "vitest"   // vitest --reporter=json
	Mocha    = "mocha"    // mocha --reporter json
	Node     = "node"     // what the toolchain of Node writes: the three above, and TAP
	Surefire = "surefire" // what Maven leaves: surefire's JUnit XML and its own log
	Cpp      = "cpp"      // what the toolchain of C and C++ writes: JUnit XML of ctest, Meson, GoogleTest, Catch2 and doctest by program, automake's results
	PHPUnit  = "phpunit"  // what the toolchain of PHP writes: the JUnit XML of PHPUnit and Pest, its console beside it
	RSpec    = "rspec"    // rspec --format json
	Ruby     = "ruby"     // what the toolchain of Ruby writes: rspec's JSON, TAP of minitest and test-unit
	TRX      = "trx"      // dotnet test --logger trx
	Gradle   = "gradle"   // what Gradle leaves: its JUnit XML, and its console with a line a test
)

// format is one report format.
type format struct {
	// parse reads one file; whatever is wrong with it becomes a problem.
	parse func(b *builder, name string, data []byte)
	// consistent judges exit code against report; nil is the rule of runners that
	// end with an error exactly when a test failed. bad counts failed tests.
	consistent func(r Report, exitCode, bad int) (bool, string)
	// framing is what the format's runners write into messages and no test said.
	framing []framing
}

var formats = map[string]format{
	GoTest:   {parse: parseGoTest, framing: goFraming},
	Libtest:  {parse: parseLibtest, framing: rustFraming},
	JUnit:    {parse: parseJUnit, framing: pythonFraming},
	TAP:      {parse: parseTAP, consistent: consistentTAP, framing: tapFraming},
	Jest:     {parse: parseJest, consistent: consistentNode, framing: nodeFraming},
	Vitest:   {parse: parseJest, consistent: consistentNode, framing: nodeFraming},
	Mocha:    {parse: parseMocha, consistent: consistentNode, framing: nodeFraming},
	Node:     {parse: parseNode, consistent: consistentNode, framing: nodeFraming},
	Surefire: {parse: parseSurefire, framing: javaFraming},
	Cpp:      {parse: parseCpp, framing: cppFraming},
	Gradle:   {parse: parseGradle, framing: javaFraming},
	PHPUnit:  {parse: parsePHPUnit, consistent: consistentBeside, framing: phpFraming},
	RSpec:    {parse: parseRSpec, consistent: consistentBeside, framing: rubyFraming},
	Ruby:     {parse: parseRuby, consistent: consistentBeside, framing: rubyFraming},
	TRX:      {parse: parseTRX, framing: netFraming},
}

// Formats lists the formats that [Parse] reads.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }
