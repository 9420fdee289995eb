package schedctl

import (
	"strings"
	"time"
)

// Limits of collections.
const (
	MaxCollections = 500 // of a workspace
	MaxSource      = 500 // characters
	MaxCommit      = 64  // hexadecimal digits of the hash of a commit
	minCommit      = 7
)

// Collection is who applies the files of a collection. A post belongs to it by
// [Managed.Collection], also while there is no such record.
type Collection struct {
	ID          string
	WorkspaceID string
	Name        string // unique in the workspace; see [CheckCollection]
	Source      string // the repository that the files are in; no other may apply them
	Revision    Revision
	AppliedAt   time.Time // when the files were applied last; zero for never
	AppliedBy   KeyRef    // the API key that applied them; zero for none
	CreatedAt   time.Time
}

// Revision is a commit of a repository. The zero value is an unknown one.
type Revision struct {
	Commit      string // the hash in hexadecimal
	CommittedAt time.Time
}

// Apply records that files of a source are being applied. Errors: SOURCE_MISMATCH if the
// collection belongs to another source, OLDER_REVISION if the commit is older than the last
// applied one, unless older is set. A commit from the future counts as one of now, so that
// a wrong clock does not keep later ones out. A zero revision keeps that of the collection.
func (c *Collection) Apply(source string, r Revision, older bool, by KeyRef, now time.Time) error {
	if c.Source != source {
		return Errorf(SourceMismatch, "source", "the collection %q belongs to %s, and these files are from %s", c.Name, c.Source, source)
	}
	if r != (Revision{}) {
		if r.CommittedAt.After(now) {
			r.CommittedAt = now
		}
		if last := c.Revision; !older && r.Commit != last.Commit && r.CommittedAt.Before(last.CommittedAt) {
			return Errorf(OlderRevision, "revision", "commit %.12s of %s is older than %.12s of %s, which was applied to the collection %q",
				r.Commit, date(r.CommittedAt), last.Commit, date(last.CommittedAt), c.Name)
		}
		c.Revision = r
	}
	c.AppliedAt, c.AppliedBy = Millis(now), by
	return nil
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") }

// Adopt gives the collection to another source. The commits of the old one say nothing
// about those of the new one, so the revision becomes unknown.
func (c *Collection) Adopt(source string) {
	if c.Source != source {
		c.Source, c.Revision = source, Revision{}
	}
}

// CheckSource returns nil if the source of a collection is valid: 1 to [MaxSource]
// characters of visible ASCII.
func CheckSource(field, source string) error {
	if !visibleASCII(source, MaxSource) {
		return Errorf(ValidationFailed, field, "%s must have 1 to %d characters of visible ASCII", field, MaxSource)
	}
	return nil
}

// Check returns nil if both fields are set and valid.
func (r *Revision) Check() error {
	if n := len(r.Commit); n < minCommit || n > MaxCommit || strings.Trim(r.Commit, "0123456789abcdef") != "" {
		return Errorf(ValidationFailed, "revision.commit", "revision.commit must have %d to %d hexadecimal digits in lower case", minCommit, MaxCommit)
	}
	if r.CommittedAt.IsZero() {
		return Errorf(ValidationFailed, "revision.committed_at", "revision.committed_at is missing; give the committer time of the commit")
	}
	return nil
}
