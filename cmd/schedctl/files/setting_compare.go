package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

// applied is what the daemon has of a series, a queue or a blackout.
type applied struct {
	managed *apiv1.Managed // as the collection applied it last; nil if it never did
	digests []string       // those that it could have now
}

// drifted reports whether another client made or changed it since the last apply.
func (a applied) drifted() bool {
	return a.managed == nil || !slices.Contains(a.digests, a.managed.Digest)
}

// compare chooses the action for what exists, by three states: the file, what was applied
// last, and what is there now. same reports whether the first and the last are equal. It
// reports whether the setting has to send a request: a change, or only what is managed now.
func (p *planner) compare(s *setting, have applied, want *apiv1.Managed, same bool) (send bool) {
	switch {
	case same:
		s.Action, s.Differences = isUnchanged, nil
		if have.managed == nil && want != nil {
			s.Message = "made outside the files; they manage it from now on"
		}
		return want != nil && (have.managed == nil || *have.managed != *want)
	case have.managed == nil && !p.overwrite:
		s.Action, s.Message = isDrift, "made outside the files, and differs; left unchanged"
	case have.drifted() && !p.overwrite:
		s.Action, s.Message = isDrift, noteChangedOutside
	default:
		s.Action = doEdit
		return true
	}
	return false
}

// goneFromConfig says why a queue or a blackout has no file.
const goneFromConfig = "it was removed from " + postfile.ConfigName

// compareGone chooses the action for what no file describes any more. The texts say why,
// what it is, and what its removal does.
func (p *planner) compareGone(s *setting, have applied, gone, noun, effect string) {
	switch {
	case !p.prune:
		s.Action, s.Message = isOrphan, gone+"; delete the "+noun+" with --prune"
	case have.drifted() && !p.overwrite:
		s.Action, s.Message = isDrift, gone+"; "+noteChangedOutside
	default:
		s.Action, s.Message = doCancel, effect
	}
}

// ours returns the file of a queue or a blackout of the collection, nil for others.
func (p *planner) ours(m *apiv1.Managed) *apiv1.Managed {
	if m == nil || m.Collection != p.collection {
		return nil
	}
	return m
}

// sameDigest reports whether a file of the collection was last applied as it is wanted.
func sameDigest(have, want *apiv1.Managed) bool {
	return have != nil && want != nil && have.Digest == want.Digest
}

// otherOwner returns the name of the other collection that manages a queue or a blackout,
// empty for none. A collection that was removed manages nothing.
func (p *planner) otherOwner(ctx context.Context, m *apiv1.Managed) (string, error) {
	if m == nil || p.ours(m) != nil || p.collection == "" {
		return "", nil
	}
	if p.collections == nil {
		list, err := p.client.Collections(ctx)
		if err != nil {
			return "", err
		}
		p.collections = map[string]bool{}
		for _, c := range list {
			p.collections[c.Name] = true
		}
	}
	if !p.collections[m.Collection] {
		return "", nil
	}
	return m.Collection, nil
}

// settingManaged returns the file to store with a queue or a blackout, nil for a directory
// without a collection.
func (d *postFiles) settingManaged(digest string) *apiv1.Managed {
	if d.collection == "" {
		return nil
	}
	return &apiv1.Managed{Collection: d.collection, Path: postfile.ConfigName, Digest: digest}
}

// sending returns how a setting makes its change, and how it checks it, from one request.
func sending(send func(ctx context.Context, dry bool) error) (apply, check func(context.Context) error) {
	return func(ctx context.Context) error { return send(ctx, false) }, func(ctx context.Context) error { return send(ctx, true) }
}

// digestOf returns the SHA-256 of the canonical form, with the version of the form.
func digestOf(v any) string {
	sum := sha256.Sum256([]byte(form(v)))
	return "v1:" + hex.EncodeToString(sum[:])
}
