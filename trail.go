package schedctl

import "time"

// Trail says who wrote a post, and which posts it belongs to. The template of a series has
// its authors only.
type Trail struct {
	CreatedBy  string    // the API key that made the post; empty if it is not known
	UpdatedBy  string    // the API key that changed the post last; empty if it is not known
	ArchivedAt time.Time // zero unless the post was put away
	ResendOf   string    // the post whose failed targets this one sends again; may be empty
	ResentAs   string    // the post that sends the failed targets of this one again; may be empty
	SourceID   string    // the source that made the post; may be empty
	ItemID     string    // the item of that source; may be empty
}

// Archive puts a post away whose work is over: lists leave it out. An archived post stays as
// it is. Errors: [PostNotOver].
func (p *Post) Archive(now time.Time) error {
	status := p.Status()
	if err := CheckOperation(OpArchive, status); err != nil || !p.ArchivedAt.IsZero() {
		return err
	}
	p.ArchivedAt = Millis(now)
	p.changed(p.ArchivedAt)
	return nil
}

// Unarchive lists an archived post again. Other posts stay as they are.
func (p *Post) Unarchive(now time.Time) {
	if !p.ArchivedAt.IsZero() {
		p.ArchivedAt = time.Time{}
		p.changed(Millis(now))
	}
}

// ToResend returns the failed targets of a post that another post can send again: those that
// published nothing; with force also those that may have published something. Errors:
// [PostNotRetryable], also for a post that was resent, and [PostCanceled].
func (p *Post) ToResend(force bool) (targets []Target, err error) {
	if err := CheckOperation(OpResend, p.Status()); err != nil {
		return nil, err
	}
	if p.ResentAs != "" {
		return nil, p.errResent()
	}
	for i := range p.Targets {
		if t := &p.Targets[i]; t.Status == Failed && (force || !t.needsForce() && len(t.Done) == 0) {
			targets = append(targets, t.clone())
		}
	}
	if len(targets) == 0 {
		return nil, Errorf(PostNotRetryable, "", "the network may have published this already; check there first, then resend with force")
	}
	return targets, nil
}

// Resent archives the post, because another one sends its failed targets again.
func (p *Post) Resent(as string, now time.Time) {
	p.ResentAs, p.ArchivedAt = as, Millis(now)
	p.changed(p.ArchivedAt)
}

func (p *Post) errResent() error {
	return Errorf(PostNotRetryable, "", "the post was resent already, as %s; change or retry that one", p.ResentAs)
}

// Author returns the API key that made the post, or the empty string. Earlier versions only
// stored the last editor, which is the author until the first change.
func (p *Post) Author() string {
	if p.CreatedBy == "" && p.Version == 1 && p.SeriesID == "" {
		return p.EditorID
	}
	return p.CreatedBy
}
