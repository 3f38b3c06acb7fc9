package image

// The labels that tell what an image of ours is.
const (
	LabelKey        = "wideswe.key" // digest of all that decided the image
	LabelStage      = "wideswe.stage"
	LabelRepository = "wideswe.repository"
	LabelTask       = "wideswe.task"
	LabelVersion    = "wideswe.version"
	LabelOn         = "wideswe.on" // id of the image below
)

// StageWorkspace is the stage of an image that holds sources for one process's runs.
const StageWorkspace = "workspace"
