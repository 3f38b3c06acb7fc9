package filerole

import (
	"path"
	"strings"

	"github.com/go-enry/go-enry/v2"
)

// byExtension settles extensions that several languages share.
var byExtension = map[string]string{
	".h": "C", ".m": "Objective-C", ".mm": "Objective-C++", ".ts": "TypeScript", ".mts": "TypeScript",
	".cts": "TypeScript", ".tsx": "TSX", ".rs": "Rust",
	".php": "PHP", ".inc": "PHP", ".cs": "C#", ".fs": "F#", ".pl": "Perl", ".pm": "Perl", ".t": "Perl", ".r": "R",
	".d": "D", ".v": "Verilog",
	".md": "Markdown", ".sql": "SQL", ".pro": "Prolog", ".cls": "Apex", ".cjs": "JavaScript", ".mjs": "JavaScript",
	".es": "JavaScript",
	".gs": "JavaScript", ".json": "JSON", ".yml": "YAML", ".yaml": "YAML", ".txt": "Text", ".html": "HTML", ".vue": "Vue",
	".svelte": "Svelte",
	".bats":   "Shell", ".phpt": "PHP", ".tpl": "Smarty", ".spec": "RPM Spec", ".cl": "OpenCL", ".ex": "Elixir",
	".s": "Assembly", ".asm": "Assembly",
}

// Language is the language of a file judging by its name, "" where the name tells none.
func Language(p string) string {
	base := path.Base(p)
	if lang, safe := enry.GetLanguageByFilename(base); lang != "" && safe {
		return lang
	}
	if lang, ok := byExtension[strings.ToLower(path.Ext(base))]; ok {
		return lang
	}
	lang, _ := enry.GetLanguageByExtension(base)
	return lang
}

// markup that people program in counts as programming.
var programmed = set("Vue", "Svelte", "Astro")

// Programming says whether a file is written in a programming language, judging by its
// name and whatever its role.
func Programming(p string) bool { return isProgramming(path.Base(p)) }

func isProgramming(base string) bool {
	lang := Language(base)
	return lang != "" && (enry.GetLanguageType(lang) == enry.Programming || programmed[lang])
}

// families join languages that one team writes side by side.
var families = map[string]string{
	"JavaScript": "JavaScript/TypeScript", "TypeScript": "JavaScript/TypeScript", "TSX": "JavaScript/TypeScript",
	"JSX": "JavaScript/TypeScript",
	"Vue": "JavaScript/TypeScript", "Svelte": "JavaScript/TypeScript", "Astro": "JavaScript/TypeScript",
	"CoffeeScript": "JavaScript/TypeScript",
	"C":            "C/C++", "C++": "C/C++", "Cuda": "C/C++", "Objective-C": "Objective-C/Swift",
	"Objective-C++": "Objective-C/Swift", "Swift": "Objective-C/Swift",
	"Java": "JVM", "Kotlin": "JVM", "Scala": "JVM", "Groovy": "JVM", "Clojure": "JVM",
	"C#": ".NET", "F#": ".NET", "Visual Basic .NET": ".NET",
	"Python": "Python", "Cython": "Python", "PHP": "PHP", "Hack": "PHP", "Elixir": "BEAM", "Erlang": "BEAM",
	"Gleam": "BEAM",
	"Bash":  "Shell", "Zsh": "Shell", "Fish": "Shell",
}

// Family is the language family of a production file, "" for every other file:
// tests, docs, configuration, build support, generated and vendored files, and
// what is written in no programming language.
func Family(p string) string {
	if Of(p) != Source || !isProgramming(path.Base(p)) {
		return ""
	}
	lang := Language(p)
	if family, ok := families[lang]; ok {
		return family
	}
	return lang
}

// FamilyIn is [Family] for a file whose beginning is at hand: where the name tells
// no language, a #! line may.
func FamilyIn(p string, beginning []byte) string {
	if !Nameless(p) {
		return Family(p)
	}
	lang, _ := enry.GetLanguageByShebang(beginning)
	if enry.GetLanguageType(lang) != enry.Programming {
		return ""
	}
	if family, ok := families[lang]; ok {
		return family
	}
	return lang
}

// Nameless says whether a file is source whose name tells no language: bin/tool.
func Nameless(p string) bool { return Of(p) == Source && Language(p) == "" && path.Ext(p) == "" }

// Platform names the one system a file is for where that isn't Linux: ios, macos
// or windows; "" for every other file.
func Platform(p string) string {
	f := look(p)
	switch {
	case f.has(set("ios", "iosapp", "iphone", "ipad", "xcode", "cocoapods", "iosmain", "iostest")),
		f.ext == ".podspec", f.lower == "podfile", f.lower == "podfile.lock", f.ext == ".xib", f.ext == ".storyboard",
		f.ext == ".pbxproj":
		return "ios"
	}
	for _, folder := range f.folders {
		if ext := strings.ToLower(path.Ext(folder)); ext == ".xcodeproj" || ext == ".xcworkspace" || ext == ".xcassets" {
			return "ios"
		}
	}
	stem := strings.TrimSuffix(f.stem, "_test")
	switch {
	case f.has(set("macos", "osx", "darwin")), f.ext == ".go" && strings.HasSuffix(stem, "_darwin"):
		return "macos"
	case f.has(set("windows", "win32")), f.ext == ".go" && strings.HasSuffix(stem, "_windows"), f.ext == ".ps1",
		f.ext == ".bat", f.ext == ".wxs":
		return "windows"
	}
	return ""
}
