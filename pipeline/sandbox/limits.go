package sandbox

import "time"

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

// Defaults fills what is not set.
func (l Limits) Defaults() Limits {
	def := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&l.Memory, 4<<30)
	def(&l.Pids, 4096)
	def(&l.Output, 4<<20)
	def(&l.FileSize, 4<<30)
	def(&l.Disk, 20<<30)
	def(&l.OutBytes, 256<<20)
	if l.CPUs <= 0 {
		l.CPUs = 2
	}
	if l.Timeout <= 0 {
		l.Timeout = 30 * time.Minute
	}
	if l.OutFiles <= 0 {
		l.OutFiles = 10000
	}
	return l
}

// WatchEvery is how often a backend looks at a run for the limits that neither the
// engine nor the kernel keeps.
const WatchEvery = time.Second
