//go:build !linux

package docker

func processStart(int) string { return "" }

func machine() string { return "" }
