package kit

// reasoned is a choice of a plan with the reason for it.
type Reasoned struct{ Name, Why string }

// distroImage is the plain image that toolchains build on.
const DistroImage = "debian:trixie"

// maxManifests bounds the files that are followed.
const MaxManifests = 2000
