package toolchain

// reasoned is a choice of a plan with the reason for it.
type reasoned struct{ name, why string }

// distroImage is the plain image that toolchains build on.
const distroImage = "debian:trixie"

// maxManifests bounds the files that are followed.
const maxManifests = 2000
