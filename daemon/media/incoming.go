package media

import (
	"sync"

	"github.com/schedctl/schedctl"
)

// Uploads that are at work at once on one node, at most. An upload needs about 4 MB of
// memory, and the space of its file in the directory of temporary files.
const (
	MaxUploadsOfKey       = 4
	MaxUploadsOfWorkspace = 16
)

// intake knows the uploads at work.
type intake struct {
	mu         sync.Mutex // mu guards everything below, and the fields of Incoming
	keys       map[string]int
	workspaces map[string]*received
}

// received is what a workspace sends at the moment.
type received struct {
	uploads  int
	reserved int64           // bytes of the uploads at work
	landed   int64           // bytes that became assets since the first of these uploads began
	assets   map[string]bool // announced assets whose bytes are being received
}

// Incoming is an upload at work. Its bytes count toward the quota of its workspace before
// they arrive, or while they do if their number is not known. Its methods may be called
// from any goroutine.
type Incoming struct {
	service *Service
	of      *received
	origin  Origin

	announced bool  // the asset of the origin is marked as being received
	free      int64 // so many bytes do not count
	used      int64 // bytes of the workspace, read from the database
	landed    int64 // of the workspace when they were read
	reserved  int64
	closed    bool
}

// Origin is where an upload comes from.
type Origin struct {
	WorkspaceID string
	KeyID       string // empty for an upload by URL, which counts for the workspace only
	AssetID     string // of the announced asset; empty for none
}

// Admit begins an upload, which the caller must close. The error is RATE_LIMITED if there
// are too many.
func (s *Service) Admit(o Origin) (*Incoming, error) {
	t := &s.intake
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.workspaces[o.WorkspaceID]
	switch {
	case o.KeyID != "" && t.keys[o.KeyID] >= MaxUploadsOfKey:
		return nil, schedctl.Errorf(schedctl.RateLimited, "", "this API key has %d uploads at work, the most at once; send the file again when one of them has ended", MaxUploadsOfKey)
	case of != nil && of.uploads >= MaxUploadsOfWorkspace:
		return nil, schedctl.Errorf(schedctl.RateLimited, "", "this workspace has %d uploads at work, the most at once; send the file again when one of them has ended", MaxUploadsOfWorkspace)
	case of == nil:
		if t.workspaces == nil {
			t.keys, t.workspaces = map[string]int{}, map[string]*received{}
		}
		of = &received{assets: map[string]bool{}}
		t.workspaces[o.WorkspaceID] = of
	}
	of.uploads++
	if o.KeyID != "" {
		t.keys[o.KeyID]++
	}
	return &Incoming{service: s, of: of, origin: o}, nil
}

// Free are the bytes of an upload that count already.
type Free struct {
	Announced int64 // for its asset, unless another upload of the asset is at work
	Repeated  int64 // for a file that an earlier request stored, which this one may repeat
}

// Count reads how many bytes the workspace uses, and reserves the first bytes of the file.
// The error is MEDIA_QUOTA_EXCEEDED, or that of used.
func (u *Incoming) Count(free Free, size int64, used func() (int64, error)) error {
	t := &u.service.intake
	for try := 0; ; try++ {
		t.mu.Lock()
		if u.origin.AssetID != "" && !u.announced && !u.of.assets[u.origin.AssetID] {
			u.of.assets[u.origin.AssetID], u.announced = true, true
			u.free = free.Announced
		}
		u.free = max(u.free, free.Repeated)
		landed := u.of.landed
		t.mu.Unlock()
		bytes, err := used()
		if err != nil {
			return err
		}
		t.mu.Lock()
		u.used, u.landed = bytes, landed
		changed := u.of.landed != landed // perhaps what landed is in bytes, too
		t.mu.Unlock()
		if err = u.Reserve(size); err == nil || !changed || try >= 3 {
			return err
		}
	}
}

// Reserve makes an upload count as so many bytes, if they are more than before. The error
// is MEDIA_QUOTA_EXCEEDED.
func (u *Incoming) Reserve(size int64) error {
	t := &u.service.intake
	t.mu.Lock()
	defer t.mu.Unlock()
	more := size - u.free - u.reserved
	if more <= 0 {
		return nil
	}
	used, others := u.used+u.of.landed-u.landed, u.of.reserved-u.reserved
	if err := u.service.checkQuota(used, others, size-u.free); err != nil {
		return err
	}
	u.reserved += more
	u.of.reserved += more
	return nil
}

// Landed notes that the bytes have become an asset.
func (u *Incoming) Landed(size int64) {
	u.service.intake.mu.Lock()
	defer u.service.intake.mu.Unlock()
	u.of.landed += size
}

// Close ends the upload. Further calls do nothing.
func (u *Incoming) Close() {
	t := &u.service.intake
	t.mu.Lock()
	defer t.mu.Unlock()
	if u.closed {
		return
	}
	u.closed = true
	if u.announced {
		delete(u.of.assets, u.origin.AssetID)
	}
	u.of.reserved -= u.reserved
	if u.of.uploads--; u.of.uploads == 0 {
		delete(t.workspaces, u.origin.WorkspaceID)
	}
	if u.origin.KeyID == "" {
		return
	}
	if t.keys[u.origin.KeyID]--; t.keys[u.origin.KeyID] == 0 {
		delete(t.keys, u.origin.KeyID)
	}
}
