// Package testreport is what every reader of test reports shares: the words of a
// report ([Report], [Problem], [Kind]), the description of a format ([Format]),
// the [Builder] that a format's reader fills, and bounded reading of text and XML.
//
// Each family of formats is a folder below: one constructor that returns a
// [Format], and one line in pipeline/testreport/formats, which finds formats by
// name. This package knows no format and imports none.
//
// A report is what the files say and no more. A test that no file names is
// missing and is not listed. A word that no format defines is an error, never a
// pass. A test that started and never ended is an error or, where another test
// brought the runner down, not_run. Strangers write these files: sizes, depth
// and counts are bounded, nothing is expanded, invalid UTF-8 becomes U+FFFD.
//
// Running tests, choosing them and comparing runs live elsewhere:
// pipeline/toolchain writes the commands, pipeline/testrun runs them.
package testreport
