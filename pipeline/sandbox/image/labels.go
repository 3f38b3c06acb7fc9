package image

// labelKey names the digest of all that decided an image.
const LabelKey = "wideswe.key"

// Labels that tell what an image of ours is.
const (
	LabelStage      = "wideswe.stage"
	LabelRepository = "wideswe.repository"
	LabelTask       = "wideswe.task"
	LabelVersion    = "wideswe.version"
	LabelOn         = "wideswe.on" // id of the image below

	StageWorkspace = "workspace"
)
