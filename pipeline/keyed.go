package pipeline

import "sync"

// Keyed is a lock a key: what is equal is made by one and waited for by the others.
// The zero value is ready.
type Keyed struct {
	mu   sync.Mutex
	keys map[string]*sync.Mutex
}

// Lock waits until nobody else holds the key.
func (l *Keyed) Lock(key string) (unlock func()) {
	l.mu.Lock()
	if l.keys == nil {
		l.keys = map[string]*sync.Mutex{}
	}
	m := l.keys[key]
	if m == nil {
		m = &sync.Mutex{}
		l.keys[key] = m
	}
	l.mu.Unlock()
	m.Lock()
	return m.Unlock
}
