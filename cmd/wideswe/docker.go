package main

import "context"

// Pin implements sandbox.Backend.
func (l *lazyDocker) Pin(ctx context.Context, name string, renew bool) (string, error) {
	d, err := l.open(ctx)
	if err != nil {
		return "", err
	}
	return d.Pin(ctx, name, renew)
}
