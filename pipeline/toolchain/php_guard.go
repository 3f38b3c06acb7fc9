package toolchain

import (
	"encoding/json"
	"regexp"
	"slices"
)

// phpguard knows PHPUnit's and Pest's settings, PHP's own, and what of composer.json runs
// before the tests or decides which classes they get.
func phpguard(c Change) Guard {
	switch base := c.name(); {
	case c.Before == nil && phpNamesake.MatchString(c.Path), phpVendored.MatchString(c.Path):
		return whole
	case base == "composer.json":
		return jsonGuard(c, phpSettings, joinPhpSettings)
	case slices.Contains([]string{"phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "pest.php", "php.ini", ".user.ini", "patchwork.json", "codeception.yml"}, base):
		return whole
	}
	return Guard{}
}

var (
	// phpNamesake are files by the names that PHPUnit has for its own.
	phpNamesake = regexp.MustCompile(`(^|/)PHPUnit/(Framework|TextUI|Runner|Util)/.*\.php$`)
	phpVendored = vendoredFolder(`phpunit|pest|mockery|prophecy`)
)

var composerKeys = []string{"scripts", "autoload-dev", "extra", "bin"}

func phpSettings(object map[string]json.RawMessage) map[string]json.RawMessage {
	guarded := map[string]json.RawMessage{}
	for _, k := range composerKeys {
		if v, ok := object[k]; ok {
			guarded[k] = v
		}
	}
	// Files are loaded before anything else; classes are what patches add.
	if v, ok := inner(object, "autoload")["files"]; ok {
		guarded["autoload files"] = v
	}
	return guarded
}

func joinPhpSettings(object, guarded map[string]json.RawMessage) {
	for _, k := range composerKeys {
		delete(object, k)
		if v, ok := guarded[k]; ok {
			object[k] = v
		}
	}
	autoload := inner(object, "autoload")
	delete(autoload, "files")
	if v, ok := guarded["autoload files"]; ok {
		autoload["files"] = v
	}
	setInner(object, "autoload", autoload)
}
