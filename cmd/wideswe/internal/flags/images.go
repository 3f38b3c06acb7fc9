package flags

import (
	"github.com/spf13/pflag"
)

// imageFlags are the words of evaluators on images, who have no wideswe.yaml.
func AddImages(f *pflag.FlagSet, images *map[string]string, env, files *[]string) {
	f.StringToStringVar(images, "image", nil, "NAME=LOCAL: the local image to take for a base image; may be given several times")
	f.StringSliceVar(env, "build-env", nil, "environment variables that image builds may see (proxies, mirrors)")
	f.StringSliceVar(files, "build-file", nil, "host files that image builds may see (certificates)")
}
