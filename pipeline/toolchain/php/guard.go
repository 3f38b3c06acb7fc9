package php

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// phpguard knows PHPUnit's and Pest's settings, PHP's own, and what of composer.json runs
// before the tests or decides which classes they get.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case c.Before == nil && phpNamesake.MatchString(c.Path), phpVendored.MatchString(c.Path):
		return kit.Whole
	case base == "composer.json":
		return kit.GuardJSON(c, phpSettings, joinPhpSettings)
	case slices.Contains([]string{"phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "pest.php", "php.ini",
		".user.ini", "patchwork.json", "codeception.yml"}, base):
		return kit.Whole
	}
	return kit.Guard{}
}

var (
	// phpNamesake are files by the names that PHPUnit has for its own.
	phpNamesake = regexp.MustCompile(`(^|/)PHPUnit/(Framework|TextUI|Runner|Util)/.*\.php$`)
	phpVendored = kit.VendoredFolder(`phpunit|pest|mockery|prophecy`)
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
	if v, ok := kit.InnerObject(object, "autoload")["files"]; ok {
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
	autoload := kit.InnerObject(object, "autoload")
	delete(autoload, "files")
	if v, ok := guarded["autoload files"]; ok {
		autoload["files"] = v
	}
	kit.SetInnerObject(object, "autoload", autoload)
}
