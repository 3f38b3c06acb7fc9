package leak

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// Finding is one thing an agent could see.
type Finding struct {
	Place string `json:"place"` // where: a git object or ref, a layer's path, the prompt
	What  string `json:"what"`  // what lies there
}

func (f Finding) String() string { return f.Place + ": " + f.What }

// minSecret is the size below which equal content says nothing: empty package
// files, one-line configurations.
const minSecret = 48

// maxSecret bounds what is hashed of one file.
const maxSecret = 64 << 20

// Secrets are the contents that a task keeps to itself.
type Secrets struct {
	blobs map[string]string // git blob id → what it is
	sizes map[int64]bool
	words map[string]string // word → what it is
	// Managers know how packages are named, in manifests and in caches.
	Managers []kit.Packages
	// Packages are the siblings as package managers know them.
	Packages []Package
}

// AddTree takes the files of a repository's gold tree, hidden tests and all, that
// its base tree does not have under any name.
func (s *Secrets) AddTree(repository, base, gold string) error {
	known := map[string]bool{}
	if err := eachFile(base, func(_ string, data []byte) { known[BlobID(data)] = true }); err != nil {
		return fmt.Errorf("reading %s at base: %w", repository, err)
	}
	err := eachFile(gold, func(name string, data []byte) {
		if id := BlobID(data); !known[id] && len(data) >= minSecret {
			s.add(id, int64(len(data)), repository+"/"+name+" as it is after the change")
		}
	})
	if err != nil {
		return fmt.Errorf("reading %s at gold: %w", repository, err)
	}
	return nil
}

func (s *Secrets) add(id string, size int64, what string) {
	if s.blobs == nil {
		s.blobs, s.sizes = map[string]string{}, map[int64]bool{}
	}
	if s.blobs[id] == "" {
		s.blobs[id], s.sizes[size] = what, true
	}
}

// AddWord takes a name that only the hidden tests have. Short ones and plain words
// could stand in any text and are left out.
func (s *Secrets) AddWord(word, what string) {
	if len(word) < 8 || !telling.MatchString(word) {
		return
	}
	if s.words == nil {
		s.words = map[string]string{}
	}
	s.words[word] = what
}

// telling: a name of several parts, as programs write them.
var telling = regexp.MustCompile(`^[\pL_$][\pL\pN_$.\-]*$`)
var severalParts = regexp.MustCompile(`[\pL\pN]_[\pL\pN]|\p{Ll}\p{Lu}`)

// Text looks for hidden names in a text that the agent reads.
func (s *Secrets) Text(place, text string) (found []Finding) {
	for _, word := range identifiers(text) {
		if what, hidden := s.words[word]; hidden && severalParts.MatchString(word) {
			found = append(found, Finding{place, fmt.Sprintf("names %s, %s", word, what)})
		}
	}
	return found
}

var identifier = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

func identifiers(text string) []string {
	words := identifier.FindAllString(text, -1)
	slices.Sort(words)
	return slices.Compact(words)
}

// Content names the secret that some bytes are, "" for none.
func (s *Secrets) Content(data []byte) string {
	if !s.sizes[int64(len(data))] {
		return ""
	}
	return s.blobs[BlobID(data)]
}

// size says whether a file of this size could be a secret.
func (s *Secrets) size(n int64) bool { return s.sizes[n] }

// BlobID is the id that git gives content.
func BlobID(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// eachFile reads the regular files of a tree, .git left out.
func eachFile(root string, do func(name string, data []byte)) error {
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := readBounded(p)
		if err != nil || data == nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		do(filepath.ToSlash(rel), data)
		return err
	})
}

// readBounded gives nil for what is too large to be looked at.
func readBounded(p string) ([]byte, error) {
	f, err := os.Open(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(f, maxSecret+1))
	if err := errors.Join(err, f.Close()); err != nil || n > maxSecret {
		return nil, err
	}
	return b.Bytes(), nil
}

// Sorted orders findings and drops repeats.
func Sorted(list []Finding) []Finding {
	slices.SortFunc(list, func(a, b Finding) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(list)
}
