//go:build !unix

package reference_test

import "time"

// processorTime knows nothing here: the test then only reads the texts.
func processorTime() time.Duration { return 0 }
