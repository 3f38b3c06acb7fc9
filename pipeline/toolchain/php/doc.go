// Package php plans builds and test runs of Composer packages (PHPUnit, Pest). What another
// language needs, too, is in toolchain/kit.
package php
