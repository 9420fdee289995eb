package api

import "slices"

// ringSize is the minimum number of frames in the ring. A stream that is further
// behind reads from the store.
const ringSize = 1024

// ring holds the frames of the latest events in the order of the outbox. It never
// modifies slices that it returned: it appends frames, or moves them to a new
// slice.
type ring struct {
	frames []frame
	first  uint64 // the number of the first frame
	last   string // the id to continue reading after
}

// streamPosition is the position of a stream. In the ring it is the number of the
// next frame.
type streamPosition struct {
	id     string // of the last event that was sent or skipped
	inRing bool
	next   uint64
}

// restart empties the ring. The next frames are those after id.
func (r *ring) restart(last string) { r.first, r.frames, r.last = r.end(), nil, last }

// end returns the number that the next frame gets.
func (r *ring) end() uint64 { return r.first + uint64(len(r.frames)) }

// framesFrom returns the frames from a position on, or false when the ring does not
// have them all.
func (r *ring) framesFrom(p streamPosition) ([]frame, bool) {
	if !p.inRing || p.next < r.first {
		return nil, false
	}
	return r.frames[p.next-r.first:], true
}

// add appends frames. It drops some of the oldest when the ring is large.
func (r *ring) add(b batch) {
	r.frames, r.last = append(r.frames, b.frames...), b.last
	if len(r.frames) >= 2*ringSize {
		cut := len(r.frames) - ringSize
		r.first += uint64(cut)
		r.frames = slices.Clone(r.frames[cut:])
	}
}
