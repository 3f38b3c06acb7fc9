package kit

// Reasoned is a choice of a plan with the reason for it.
type Reasoned struct{ Name, Why string }

// DistroImage is the plain image that toolchains build on.
const DistroImage = "debian:trixie"

// MaxManifests bounds the files that are followed.
const MaxManifests = 2000
