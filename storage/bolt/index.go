package bolt

import (
	"slices"

	"github.com/schedctl/schedctl"
)

// entry is an entry of a post in one index.
type entry struct {
	bucket  bucket
	nkey    uint8
	nvalue  uint8
	keyed   [57]byte // key, up to nkey
	pointed [48]byte // value, up to nvalue
}

func (e *entry) key() []byte   { return e.keyed[:e.nkey] }
func (e *entry) value() []byte { return e.pointed[:e.nvalue] }

func (e *entry) setKey(fields ...[]byte)   { e.nkey = uint8(len(concat(e.keyed[:0], fields...))) }
func (e *entry) setValue(fields ...[]byte) { e.nvalue = uint8(len(concat(e.pointed[:0], fields...))) }

// entries appends all index entries of a post. It alone defines the content of the
// indexes: PutPost writes the difference of two such lists, and Check compares them with
// the file.
func entries(dst []entry, p *schedctl.Post) ([]entry, error) {
	ws, post, err := parse2(schedctl.WorkspacePrefix, p.WorkspaceID, schedctl.PostPrefix, p.ID)
	if err != nil {
		return nil, err
	}
	l := listed{ws: ws, post: post, status: [1]byte{listCode(p)}}
	appendTime(l.time[:0], publishKey(p.PublishAt))
	dst = l.entries(dst, anyAccount)
	if p.Managed != nil {
		dst = l.entries(dst, collectionKey(p.Managed.Collection))
	}
	if dst, err = l.planEntries(dst, p); err != nil {
		return nil, err
	}
	if dst, err = l.creatorEntry(dst, p); err != nil {
		return nil, err
	}
	dst = externalIDEntry(dst, p, ws, post)
	if dst, err = l.uses(dst, p); err != nil {
		return nil, err
	}
	ofPost := p.Fingerprint(&schedctl.Target{})
	for i := range p.Targets {
		t := &p.Targets[i]
		target, account, err := parse2(schedctl.TargetPrefix, t.ID, schedctl.AccountPrefix, t.AccountID)
		if err != nil {
			return nil, err
		}
		dst = l.entries(dst, account)
		dst = append(dst, entry{bucket: targets})
		e := &dst[len(dst)-1]
		e.setKey(target[:])
		e.setValue(ws[:], post[:], account[:])
		fingerprint := ofPost
		if !t.SharesContent() {
			fingerprint = p.Fingerprint(t)
		}
		dst = slotEntry(dst, p, t, account, &l)
		dst = contentEntry(dst, t, fingerprint, account, &l)
		dst = dueEntry(dst, t, target)
		dst = publishedEntry(dst, t, target, account, &l)
		dst = networkEntries(dst, t, target, account)
	}
	return dst, nil
}

// listed has the fields of a post that are in the list indexes.
type listed struct {
	ws, post ulid
	status   [1]byte
	time     [8]byte
}

func (l *listed) entries(dst []entry, account ulid) []entry {
	dst = append(dst, entry{bucket: postsByAge}, entry{bucket: postsByTime})
	dst[len(dst)-2].setKey(l.ws[:], account[:], l.status[:], l.post[:])
	dst[len(dst)-1].setKey(l.ws[:], account[:], l.status[:], l.time[:], l.post[:])
	return dst
}

// creatorEntry appends the entry of a post in the list of the posts of the API key that
// made it, which is sorted by age only.
func (l *listed) creatorEntry(dst []entry, p *schedctl.Post) ([]entry, error) {
	if p.CreatedBy == "" {
		return dst, nil
	}
	key, err := parse(schedctl.KeyPrefix, p.CreatedBy)
	if err != nil {
		return nil, err
	}
	dst = append(dst, entry{bucket: postsByAge})
	dst[len(dst)-1].setKey(l.ws[:], key[:], l.status[:], l.post[:])
	return dst, nil
}

func dueEntry(dst []entry, t *schedctl.Target, target ulid) []entry {
	at, waits := t.Due()
	if !waits {
		return dst
	}
	e := entry{bucket: due}
	e.nkey = uint8(len(appendDue(e.keyed[:0], schedctl.Due{At: at.UnixMilli(), Target: target})))
	return append(dst, e)
}

func publishedEntry(dst []entry, t *schedctl.Target, target, account ulid, l *listed) []entry {
	if t.Status != schedctl.Published {
		return dst
	}
	e := entry{bucket: published}
	var at [8]byte
	appendTime(at[:0], publishKey(t.PublishedAt))
	e.setKey(account[:], at[:], target[:])
	e.setValue(l.ws[:], l.post[:])
	return append(dst, e)
}

func appendDue(dst []byte, d schedctl.Due) []byte {
	return append(appendTime(dst, timeKey(d.At)), d.Target[:]...)
}

func readDue(key []byte) schedctl.Due {
	return schedctl.Due{At: timeOfKey(readTime(key)), Target: ulid(key[8:])}
}

// reindex writes the difference between the old and the new index entries of a post. It
// is the only function that writes the due index, and it records these changes for
// Notify.
func (tx *tx) reindex(was, is []entry) error {
	for i := range was {
		if i < len(is) && was[i] == is[i] || holds(is, &was[i]) {
			continue
		}
		if err := tx.delete(was[i].bucket, was[i].key()); err != nil {
			return err
		}
		tx.dueRemoved = tx.dueRemoved || was[i].bucket == due
	}
	for i := range is {
		if i < len(was) && was[i] == is[i] {
			continue
		}
		if err := tx.put(is[i].bucket, is[i].key(), tx.arena.value(is[i].value())); err != nil {
			return err
		}
		if is[i].bucket == due && !holds(was, &is[i]) {
			tx.due = append(tx.due, readDue(is[i].key()))
		}
	}
	return nil
}

func holds(list []entry, e *entry) bool {
	return slices.Contains(list, *e)
}
