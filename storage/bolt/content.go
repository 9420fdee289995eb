package bolt

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"slices"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// contentEntry appends the entry of a target in the index of contents. Keys start with
// the account and the time, as in the other indexes, so that new entries are written
// at the end of the account's range.
func contentEntry(dst []entry, t *schedctl.Target, f schedctl.Fingerprint, account ulid, l *listed) []entry {
	if !t.Occupies() {
		return dst
	}
	e := entry{bucket: contents}
	e.setKey(account[:], l.time[:periodBytes], f[:], l.time[periodBytes:], l.post[:])
	return append(dst, e)
}

// periodBytes is the number of bytes of a time before the fingerprint in the keys of
// contents: the milliseconds without the lowest 24 bits, which is a period of 4.7 hours.
// A lookup of a content reads once in each period of the query.
const periodBytes = 5

// SameContent implements [storage.Reader].
func (r *reader) SameContent(q storage.ContentQuery) (list []string, err error) {
	account, err := parse(schedctl.AccountPrefix, q.AccountID)
	if err != nil {
		return nil, err
	}
	from, until := appendTime(nil, timeKey(q.From.UnixMilli())), appendTime(nil, timeKey(q.Until.UnixMilli()))
	c := r.in(contents).Cursor()
	k, _ := c.Seek(concat(nil, account[:], from[:periodBytes]))
	for bytes.HasPrefix(k, account[:]) && len(list) < q.Limit {
		if len(k) != 56 {
			return nil, wrongKey(contents, k)
		}
		period := slices.Clone(k[16 : 16+periodBytes])
		if bytes.Compare(period, until) > 0 {
			break
		}
		prefix := concat(nil, account[:], period, q.Fingerprint[:])
		for k, _ = c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(list) < q.Limit; k, _ = c.Next() {
			if at := concat(nil, period, k[len(prefix):40]); bytes.Compare(at, from) >= 0 && bytes.Compare(at, until) < 0 {
				list = append(list, id(k[40:], schedctl.PostPrefix))
			}
		}
		// No fingerprint is greater than this one, so the next key has a later period.
		k, _ = c.Seek(concat(nil, account[:], period, bytes.Repeat([]byte{0xFF}, 40)))
	}
	return list, nil
}

// longestPostID is the maximum length of a network's post id in a key. A longer id is
// replaced by a hash. The ids of most networks grow, so new entries are written at the
// end of the account's range.
const longestPostID = 24

// networkKey returns a network's post id as it is in keys: the id itself, or a hash.
func networkKey(platformPostID string) []byte {
	if len(platformPostID) <= longestPostID {
		return []byte(platformPostID)
	}
	sum := sha256.Sum256([]byte(platformPostID))
	return sum[:longestPostID]
}

// networkEntries appends the entries of a target in the index of network ids.
func networkEntries(dst []entry, t *schedctl.Target, target, account ulid) []entry {
	start := len(dst)
	for id := range t.PlatformIDs() {
		e := entry{bucket: networkIDs}
		e.setKey(account[:], networkKey(id), target[:])
		if !holds(dst[start:], &e) {
			dst = append(dst, e)
		}
	}
	return dst
}

// PublishedAs implements [storage.Reader].
func (r *reader) PublishedAs(wanted []storage.PlatformPost) ([][]string, error) {
	found := make([][]string, len(wanted))
	for i, w := range wanted {
		if w.ID == "" || w.Owner.Login == "" {
			continue
		}
		prefix := identityKey(w.Owner)
		for _, k := range r.under(identities, prefix) {
			if len(k) != 48 {
				return nil, wrongKey(identities, k)
			}
			found[i] = r.appendPublishedAs(found[i], k[32:], w.ID)
		}
		slices.Sort(found[i])
	}
	return found, nil
}

// appendPublishedAs appends the targets of an account that were published with this
// network id.
func (r *reader) appendPublishedAs(dst []string, account []byte, platformPostID string) []string {
	prefix := concat(nil, account, networkKey(platformPostID))
	for _, k := range r.under(networkIDs, prefix) {
		if len(k) == len(prefix)+16 { // otherwise the key has a longer id
			dst = append(dst, id(k[len(prefix):], schedctl.TargetPrefix))
		}
	}
	return dst
}

// identityKey returns the hash of an identity that is used in keys.
func identityKey(i schedctl.Identity) []byte {
	sum := sha256.Sum256([]byte(i.Platform + "\x00" + i.Login))
	return sum[:16]
}

// AccountsOf implements [storage.Reader].
func (r *reader) AccountsOf(wanted []schedctl.Identity) (list []schedctl.Account, err error) {
	for _, i := range wanted {
		for _, k := range r.under(identities, identityKey(i)) {
			if len(k) != 48 {
				return nil, wrongKey(identities, k)
			}
			a, err := accountTable.at(r, ulid(k[16:]), ulid(k[32:]))
			if err != nil {
				return nil, err
			}
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b schedctl.Account) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) })
	return slices.CompactFunc(list, func(a, b schedctl.Account) bool { return a.ID == b.ID }), nil
}

// indexContents fills the indexes of contents, network ids and identities.
func indexContents(tx *bbolt.Tx) error {
	if err := createAll(contents, networkIDs, identities)(tx); err != nil {
		return err
	}
	if err := indexIdentities(tx); err != nil {
		return err
	}
	return errors.Join(indexTargets(tx, contents), indexTargets(tx, networkIDs))
}

// indexIdentities puts the entries of all accounts into the index of identities.
func indexIdentities(tx *bbolt.Tx) error {
	return tx.Bucket([]byte(bucketNames[accounts])).ForEach(func(key, record []byte) error {
		a, err := accountTable.read(key, record)
		if err != nil {
			return err
		}
		return tx.Bucket([]byte(bucketNames[identities])).Put(identityEntry(&a, ulid(key), ulid(key[16:])).key, nil)
	})
}

// indexTargets puts the entries of all targets into one index. It sorts them first,
// because bbolt is slow to insert keys in any other order.
func indexTargets(tx *bbolt.Tx, b bucket) error {
	r := reader{buckets: buckets{bolt: tx}}
	type key struct {
		n     uint8
		bytes [57]byte
	}
	var keys []key
	var made []entry
	err := tx.Bucket([]byte(bucketNames[posts])).ForEach(func(k, _ []byte) error {
		p, _, err := r.post(ulid(k))
		if err != nil {
			return err
		}
		if made, err = entries(made[:0], &p); err != nil {
			return err
		}
		for i := range made {
			if made[i].bucket == b {
				keys = append(keys, key{made[i].nkey, made[i].keyed})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(keys, func(a, b key) int { return bytes.Compare(a.bytes[:a.n], b.bytes[:b.n]) })
	for i := range keys {
		if err := r.in(b).Put(keys[i].bytes[:keys[i].n], nil); err != nil {
			return err
		}
	}
	return nil
}
