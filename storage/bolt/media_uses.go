package bolt

import (
	"bytes"

	"github.com/schedctl/schedctl"
)

// usedBySeries is the value of the media uses of series. Posts have none.
var usedBySeries = []byte("s")

// uses appends the entries of a post in the index of media uses.
func (l *listed) uses(dst []entry, p *schedctl.Post) ([]entry, error) {
	needed := []byte{0}
	for i, assetID := range p.AssetIDs() {
		asset, err := parse(schedctl.MediaPrefix, assetID)
		if err != nil {
			return nil, err
		}
		if i == 0 && p.NeedsMedia() {
			needed[0] = 1
		}
		e := entry{bucket: mediaUses}
		e.setKey(asset[:], needed, l.time[:], l.post[:])
		dst = append(dst, e)
	}
	return dst, nil
}

// seriesUses appends the entries of a series in the index of media uses. An ended series
// has none.
func seriesUses(dst []indexEntry, s *schedctl.Series, id ulid) []indexEntry {
	if s.State == schedctl.SeriesEnded {
		return dst
	}
	needed := appendTime([]byte{1}, noTime)
	for _, assetID := range s.Template.AssetIDs() {
		if asset, ok := schedctl.ParseID(schedctl.MediaPrefix, assetID); ok {
			dst = append(dst, indexEntry{mediaUses, concat(nil, asset[:], needed, id[:]), usedBySeries})
		}
	}
	return dst
}

// MediaUsers implements [storage.Reader].
func (r *reader) MediaUsers(assetID string, limit int) (list []string, err error) {
	asset, err := parse(schedctl.MediaPrefix, assetID)
	if err != nil {
		return nil, err
	}
	c := r.in(mediaUses).Cursor()
	end := concat(nil, asset[:], []byte{2})
	for k := seekBefore(c, end); len(list) < limit && bytes.HasPrefix(k, asset[:]); k = stepBack(c, k) {
		if len(k) != 41 {
			return nil, wrongKey(mediaUses, k)
		}
		user := schedctl.PostPrefix
		if len(r.in(mediaUses).Get(k)) > 0 {
			user = schedctl.SeriesPrefix
		}
		list = append(list, id(k[25:], user))
	}
	return list, nil
}
