package api

import "slices"

// ringSize is how many frames the ring keeps at least. A stream that is further
// behind reads from the store.
const ringSize = 1024

// ring holds the frames of the latest events in the order of the outbox. Slices that
// it returned are never modified: frames are appended, or moved to a new slice.
type ring struct {
	frames []frame
	first  uint64 // the number of the first frame
	last   string // the id behind which to read on
}

// streamPosition is how far a stream is. In the ring it is a number: the one of the frame
// that is next.
type streamPosition struct {
	id     string // of the last event that was sent or passed over
	inRing bool
	next   uint64
}

// restart empties the ring; the next frames are those behind an id.
func (r *ring) restart(last string) { r.first, r.frames, r.last = r.end(), nil, last }

// end returns the number that the next frame gets.
func (r *ring) end() uint64 { return r.first + uint64(len(r.frames)) }

// framesFrom returns the frames from a place on, or false when they are not all here.
func (r *ring) framesFrom(p streamPosition) ([]frame, bool) {
	if !p.inRing || p.next < r.first {
		return nil, false
	}
	return r.frames[p.next-r.first:], true
}

// add appends frames and drops some of the oldest when there are many.
func (r *ring) add(b batch) {
	r.frames, r.last = append(r.frames, b.frames...), b.last
	if len(r.frames) >= 2*ringSize {
		cut := len(r.frames) - ringSize
		r.first += uint64(cut)
		r.frames = slices.Clone(r.frames[cut:])
	}
}
