package bolt

import (
	"bytes"

	"github.com/schedctl/schedctl"
)

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
		list = append(list, id(k[25:], schedctl.PostPrefix))
	}
	return list, nil
}
