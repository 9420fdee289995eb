package postfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// LockName is the name of the lock in a directory of post files.
const LockName = ".schedctl.json"

// Lock says which post each file has become, for every workspace that the files
// were applied to. It belongs into the repository beside the files: a checkout
// then knows its posts on any machine, also those whose files were removed,
// which the files themselves could not tell.
type Lock struct {
	workspaces map[string]*lockedWorkspace
}

type lockedWorkspace struct {
	Posts map[string]Entry `json:"posts"`
}

// Entry is what was applied of one file.
type Entry struct {
	Post    string `json:"post"`           // the id of the post
	At      string `json:"at,omitempty"`   // its time, RFC 3339; empty for a draft
	Applied string `json:"applied"`        // a fingerprint of what was applied
	Gone    bool   `json:"gone,omitempty"` // the post was called off, and its file is no more
}

const lockVersion = 1

type lockDocument struct {
	Version    int                         `json:"version"`
	About      string                      `json:"about"`
	Workspaces map[string]*lockedWorkspace `json:"workspaces"`
}

const lockAbout = "Which post each file is. Written by schedctl apply; keep it with the files."

// ParseLock reads a lock; no data is an empty one.
func ParseLock(data []byte) (*Lock, error) {
	l := &Lock{workspaces: map[string]*lockedWorkspace{}}
	if len(data) == 0 {
		return l, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	var doc lockDocument
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w; where two versions were merged, keep the entries of both", err)
	}
	if doc.Version != lockVersion {
		return nil, fmt.Errorf("it is of version %d, and this program knows version %d", doc.Version, lockVersion)
	}
	for id, w := range doc.Workspaces {
		if w == nil || w.Posts == nil {
			w = &lockedWorkspace{Posts: map[string]Entry{}}
		}
		l.workspaces[id] = w
	}
	return l, nil
}

// Encode returns the lock as it is written: the same content gives the same
// bytes, with a line for each value, so that versions can be compared.
func (l *Lock) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(lockDocument{lockVersion, lockAbout, l.workspaces}, "", "  ")
	return append(data, '\n'), err
}

// Knows reports whether files were ever applied to a workspace.
func (l *Lock) Knows(workspace string) bool { return l.workspaces[workspace] != nil }

// Entry returns the entry of an id in a workspace, and whether there is one.
func (l *Lock) Entry(workspace, id string) (Entry, bool) {
	w := l.workspaces[workspace]
	if w == nil {
		return Entry{}, false
	}
	e, found := w.Posts[id]
	return e, found
}

// Put sets the entry of an id.
func (l *Lock) Put(workspace, id string, e Entry) {
	if !l.Knows(workspace) {
		l.workspaces[workspace] = &lockedWorkspace{Posts: map[string]Entry{}}
	}
	l.workspaces[workspace].Posts[id] = e
}

// Remove forgets an id.
func (l *Lock) Remove(workspace, id string) {
	if l.Knows(workspace) {
		delete(l.workspaces[workspace].Posts, id)
	}
}

// IDs returns the ids of a workspace in alphabetical order.
func (l *Lock) IDs(workspace string) []string {
	if !l.Knows(workspace) {
		return nil
	}
	return slices.Sorted(maps.Keys(l.workspaces[workspace].Posts))
}

// Applied reports whether an id was applied with this time to any workspace.
func (l *Lock) Applied(id, at string) bool {
	for _, w := range l.workspaces {
		if e, found := w.Posts[id]; found && !e.Gone && e.At == at {
			return true
		}
	}
	return false
}
