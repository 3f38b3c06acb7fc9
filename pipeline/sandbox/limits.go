package sandbox

import (
	"time"
)

// Limits bound a run; zero values take the defaults of [Limits.Defaults].
type Limits struct {
	Memory   int64         `json:"memory"`    // bytes
	CPUs     float64       `json:"cpus"`      //
	Pids     int64         `json:"pids"`      //
	Timeout  time.Duration `json:"timeout"`   //
	Output   int64         `json:"output"`    // bytes of output kept
	FileSize int64         `json:"file_size"` // bytes of the largest file
	Disk     int64         `json:"disk"`      // bytes that the trees and all that is written may hold
	OutBytes int64         `json:"out_bytes"` // bytes of all files read back
	OutFiles int           `json:"out_files"` // number of files read back
}

// The limits that the engine has no word for, or enforces without saying so, are
// watched from outside while a run lasts.

// watchEvery is how often a run is looked at.
const WatchEvery = time.Second
