package postfile

import (
	"encoding/json"
	"fmt"
)

// LockName is the file in which earlier versions stored the ids of posts. It is
// read to move those posts into a collection, and never written.
const LockName = ".schedctl.json"

// Entry is the post of one file.
type Entry struct {
	Post    string `json:"post"`    // the id of the post
	Applied string `json:"applied"` // a fingerprint of the state that was applied last
	Gone    bool   `json:"gone"`    // the post was canceled because its file was removed
}

// ParseLock returns the entries of a lock by workspace and by the id of the file.
func ParseLock(data []byte) (map[string]map[string]Entry, error) {
	var doc struct {
		Version    int
		Workspaces map[string]struct{ Posts map[string]Entry }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%w; after a merge conflict, keep the entries of both sides", err)
	}
	if doc.Version != 1 {
		return nil, fmt.Errorf("it has version %d, and this program reads version 1", doc.Version)
	}
	entries := map[string]map[string]Entry{}
	for workspace, w := range doc.Workspaces {
		entries[workspace] = w.Posts
	}
	return entries, nil
}
