package bolt

import (
	"bytes"
	"encoding/binary"

	"github.com/schedctl/schedctl/storage"
)

// checkVersion refuses the file of a newer program. A version that is too high
// is taken for damage when nothing else is new in the file: no other bucket, and
// no other layout of a record.
func (s *findings) checkVersion() error {
	version := s.version()
	if version <= uint64(len(migrations)) || version > newest || s.root.foreign == 0 && !s.laterLayout() {
		return nil
	}
	return storage.ErrNewer
}

// newest bounds what is taken for a version at all.
const newest = 1000

// version returns the version of the file, or 0.
func (s *findings) version() (version uint64) {
	s.walk(meta, func(it item, _ bool) {
		if bytes.Equal(it.key, versionKey) && len(it.value) == 8 {
			version = binary.BigEndian.Uint64(it.value)
		}
	})
	return version
}

// laterLayout reports whether most of the last posts or events are in a layout
// that this program does not know.
func (s *findings) laterLayout() bool {
	for _, b := range []bucket{posts, events, accounts} {
		p, err := s.top(s.root.buckets[b])
		for depth := 0; err == nil && !p.leaf && len(p.items) > 0 && depth < deepest; depth++ {
			p, err = s.page(p.items[len(p.items)-1].child)
		}
		later := 0
		for _, it := range p.items {
			if len(it.value) > 0 && it.value[0] > layout && it.value[0] < layout+32 {
				later++
			}
		}
		if err == nil && p.leaf && later > len(p.items)/2 {
			return true
		}
	}
	return false
}
