package bolt

import (
	"errors"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// kind says how the records of one bucket are salvaged.
type kind struct {
	bucket bucket
	width  int // of its keys

	// aged says that nothing of this kind is deleted but the oldest of each owner, so
	// that what is younger than one that is there never was.
	aged bool

	// valid reports whether a row can be one of this kind.
	valid func(key, record []byte) bool

	// put writes a row into the new file. doubtful says that there may have been
	// a later version of it.
	put func(r *rescue, tx *tx, row row) error
}

// row is a record that was found.
type row struct {
	key, record []byte
	stray       bool // nothing leads to its page
	doubtful    bool // there may have been a later version of it
}

// kinds are in the order in which they are written: what is referred to comes
// before what refers to it.
var kinds = []kind{
	kindOf(workspaces, 16, readWorkspace, nil, func(_ *rescue, tx *tx, w schedctl.Workspace, _ row) error { return tx.PutWorkspace(w) }),
	kindOf(keys, 32, readKey, newerKey, func(_ *rescue, tx *tx, k schedctl.APIKey, _ row) error { return tx.PutKey(k) }),
	kindOf(accounts, 32, readAccount, newerAccount, putAccount),
	kindOf(webhooks, 32, readWebhook, newerWebhook, putWebhook),
	kindOf(posts, 16, readPost, newerPost, putPost),
	kindOf(attempts, 20, readAttempt, newerAttempt, putAttempt),
	kindOf(answers, 40, readAnswer, nil, putAnswer).ages(),
	kindOf(events, 16, readEvent, nil, func(_ *rescue, tx *tx, e schedctl.Event, _ row) error { return tx.AddEvents(e) }).ages(),
	kindOf(deliveries, 32, readDelivery, newerDelivery, putDelivery).ages(),
	kindOf(audit, 32, readAudit, nil, func(_ *rescue, tx *tx, a schedctl.AuditEntry, _ row) error { return tx.AddAudit(a) }).ages(),
}

// kindOf makes a kind of what reads and puts its records. newer says which of
// two versions of a record has the more changes; without it there are no changes.
func kindOf[T any](
	b bucket, width int, read func(key, record []byte) (T, error),
	newer func(a, b *T) bool, put func(*rescue, *tx, T, row) error,
) kind {
	return kind{
		bucket: b, width: width,
		valid: func(key, record []byte) bool {
			if len(key) != width {
				return false
			}
			_, err := read(key, record)
			return err == nil
		},
		put: func(r *rescue, tx *tx, row row) error {
			v, err := read(row.key, row.record)
			if err != nil {
				return err
			}
			if old := tx.in(b).Get(row.key); old != nil {
				known, err := read(row.key, old)
				if err != nil || newer == nil || !newer(&v, &known) {
					return err
				}
			}
			return put(r, tx, v, row)
		},
	}
}

func (k kind) ages() kind {
	k.aged = true
	return k
}

func readPost(key, record []byte) (p schedctl.Post, err error) {
	if len(key) != 16 {
		return p, wrongKey(posts, key)
	}
	p.ID = id(key, schedctl.PostPrefix)
	return p, decode(record, &p, (*coder).post)
}

func readAnswer(key, record []byte) (a storage.IdempotencyRecord, err error) {
	if len(key) != 40 {
		return a, wrongKey(answers, key)
	}
	return a, decode(record, &a, (*coder).answer)
}

// A key that was used or revoked later is newer; one that is revoked stays so.
func newerKey(a, b *schedctl.APIKey) bool {
	if a.RevokedAt.IsZero() != b.RevokedAt.IsZero() {
		return b.RevokedAt.IsZero()
	}
	return a.Hash == b.Hash && a.LastUsedAt.After(b.LastUsedAt)
}

func newerAccount(a, b *schedctl.Account) bool   { return a.UpdatedAt.After(b.UpdatedAt) }
func newerPost(a, b *schedctl.Post) bool         { return a.Version > b.Version }
func newerDelivery(a, b *schedctl.Delivery) bool { return a.Attempt > b.Attempt }

func newerWebhook(a, b *schedctl.Webhook) bool {
	if c := a.UpdatedAt.Compare(b.UpdatedAt); c != 0 {
		return c > 0
	}
	return a.Cursor > b.Cursor
}

func newerAttempt(a, b *schedctl.Attempt) bool {
	return b.FinishedAt.IsZero() && !a.FinishedAt.IsZero()
}

// putAccount gives an account another name when its own is taken by one that
// came back as well.
func putAccount(_ *rescue, tx *tx, a schedctl.Account, _ row) error {
	name := a.Name
	for n := 2; n < 100; n++ {
		err := tx.PutAccount(a)
		if schedctl.CodeOf(err) != schedctl.ValidationFailed {
			return err
		}
		a.Name = fmt.Sprintf("%s-%d", name, n)
	}
	return fmt.Errorf("account %s: its name %q is taken", a.ID, name)
}

// putWebhook disables a webhook that may have been deleted.
func putWebhook(_ *rescue, tx *tx, w schedctl.Webhook, row row) error {
	if row.doubtful && w.Enabled {
		w.Enabled, w.DisabledReason = false, "salvaged from a damaged database; enable it if it is still wanted"
	}
	return tx.PutWebhook(w)
}

func putPost(r *rescue, tx *tx, p schedctl.Post, row row) error {
	id := ulid(row.key)
	ws, err := parse(schedctl.WorkspacePrefix, p.WorkspaceID)
	if err != nil {
		return err
	}
	if r.found.deleted(ws, id, &p, row.doubtful) {
		return nil
	}
	if agrees, known := r.found.listed.agrees(id, &p); known && !agrees || !known && row.doubtful {
		r.doubtful[id] = ws
	}
	if err := ownTargets(tx, &p); err != nil {
		return err
	}
	return putWithExternalID(tx, p)
}

// putWithExternalID puts a post whose external id another post may have as well: a
// post that was replaced can come back as it was before. The younger post keeps
// the external id.
func putWithExternalID(tx *tx, p schedctl.Post) error {
	err := tx.PutPost(p)
	if schedctl.CodeOf(err) != schedctl.ExternalIDExists {
		return err
	}
	other, err := tx.PostByExternalID(p.WorkspaceID, p.ExternalID)
	if err != nil {
		return err
	}
	if other.ID > p.ID {
		p.ExternalID, p.Managed = "", nil
		return tx.PutPost(p)
	}
	other.ExternalID, other.Managed = "", nil
	return errors.Join(tx.PutPost(other), tx.PutPost(p))
}

// ownTargets refuses a post that has a target of another post's, or one twice, or
// two of one account: a damaged bit is enough for that, since ids that were made
// together are near each other.
func ownTargets(tx *tx, p *schedctl.Post) error {
	seen := map[string]bool{}
	for _, t := range p.Targets {
		route, err := tx.Route(t.ID)
		switch {
		case seen[t.ID], err == nil && route.PostID != p.ID:
			return fmt.Errorf("post %s: its target %s is that of another", p.ID, t.ID)
		case seen[t.AccountID]:
			return fmt.Errorf("post %s: it goes to account %s twice", p.ID, t.AccountID)
		case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
			return err
		}
		seen[t.ID], seen[t.AccountID] = true, true
	}
	return nil
}

// putAttempt ends an attempt that no target waits for: its post is not there, or
// says that it is over.
func putAttempt(_ *rescue, tx *tx, a schedctl.Attempt, _ row) error {
	post, err := tx.Post(a.WorkspaceID, a.PostID)
	gone := schedctl.CodeOf(err) == schedctl.NotFound
	if err != nil && !gone {
		return err
	}
	t := post.Target(a.TargetID)
	if a.FinishedAt.IsZero() && (t == nil || t.Attempts != a.Number) {
		a.FinishedAt, a.Outcome = schedctl.Millis(a.StartedAt), schedctl.OutcomeUnknown
		a.Error = &schedctl.TargetError{
			Kind: schedctl.KindUnknown, Code: "salvaged", Outcome: schedctl.OutcomeUnknown,
			Message: "the end of this attempt was lost with a damaged database",
		}
	}
	return tx.PutAttempt(a)
}

func putAnswer(_ *rescue, tx *tx, a storage.IdempotencyRecord, row row) error {
	return tx.putAnswer([32]byte(row.key[8:]), a)
}

// putDelivery also puts the deliveries of a webhook that is not there: Prune
// removes them.
func putDelivery(_ *rescue, tx *tx, d schedctl.Delivery, row row) error {
	return tx.putDelivery(row.key, d)
}

// judged is how many rows of a page are looked at to know its kind; few pages
// have more.
const judged = 512

// rows returns how many rows of a page can be of this kind.
func (k *kind) rows(p rawPage) (n int) {
	for _, it := range p.items[:min(len(p.items), judged)] {
		if !it.bucket && k.valid(it.key, it.value) {
			n++
		}
	}
	return n
}

// kindOfPage returns the kind of record that most rows of a page are, or nil. A few
// rows of an index can be read as records, too.
func kindOfPage(p rawPage) *kind {
	var best *kind
	most := 0
	for i := range kinds {
		if n := kinds[i].rows(p); n > most {
			best, most = &kinds[i], n
		}
	}
	for b, w := range indexWidths {
		if w.key != anyWidth && w.value != anyWidth && indexRows(b, p) > most {
			return nil
		}
	}
	return best
}

// indexRows returns how many rows of a page can be of an index.
func indexRows(b bucket, p rawPage) (n int) {
	for _, it := range p.items[:min(len(p.items), judged)] {
		if !it.bucket && fitsIndex(b, it) {
			n++
		}
	}
	return n
}
