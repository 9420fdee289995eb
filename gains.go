package schedctl

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"
)

// MaxGainAge is how long the gains of an hour are kept.
const MaxGainAge = 60 * 24 * time.Hour

// Gain is what the targets of an account gained of one number in an hour. The difference of
// two readings is spread evenly over the time between them, and the publication is the
// reading of 0.
type Gain struct {
	Value   int64
	Targets int64 // whose readings enclose the hour, or part of it
	Started int64 // of them, those whose first pair of readings begins in the hour
	Apart   int64 // the most hours between two readings that enclose it, rounded up
}

// GainHour are the gains of an hour.
type GainHour struct {
	Hour                       int64 // since 1970
	Views, Clicks, Engagements Gain
}

// gains returns the gains of the three numbers, with pointers into h.
func (h *GainHour) gains() [3]*Gain { return [3]*Gain{&h.Views, &h.Clicks, &h.Engagements} }

// GainHours are the gains of an account, or of several, in order of time. Hours without
// readings are left out.
type GainHours []GainHour

// hourOf returns the hour of a time, since 1970.
func hourOf(t time.Time) int64 { return floorHours(t.UnixMilli()) }

const hourMillis = int64(time.Hour / time.Millisecond)

func floorHours(ms int64) int64 {
	h := ms / hourMillis
	if ms%hourMillis < 0 {
		h--
	}
	return h
}

// AddReading adds what a target gained until its latest reading. Readings of the same target
// must be added in order of time.
func (g *GainHours) AddReading(r *Results) {
	if len(r.Points) == 0 {
		return
	}
	g.addPoint(r.PublishedAt, r.Points[:len(r.Points)-1], r.Points[len(r.Points)-1])
}

// AddReadings adds all readings of a target.
func (g *GainHours) AddReadings(r *Results) {
	for i, p := range r.Points {
		g.addPoint(r.PublishedAt, r.Points[:i], p)
	}
}

// addPoint adds the difference of a reading to the one before that has the number.
func (g *GainHours) addPoint(published time.Time, before []ResultPoint, last ResultPoint) {
	for n, of := range []func(*Metrics) *int64{
		func(m *Metrics) *int64 { return m.Views }, func(m *Metrics) *int64 { return m.Clicks }, (*Metrics).engagements,
	} {
		is := of(&last.Metrics)
		if is == nil {
			continue
		}
		p := pair{number: n, first: true, from: published.UnixMilli(), to: last.At.UnixMilli(), gain: *is}
		for i := range slices.Backward(before) {
			if was := of(&before[i].Metrics); was != nil {
				p.first, p.from, p.gain = false, before[i].At.UnixMilli(), *is-*was
				break
			}
		}
		g.add(p)
	}
}

func (m *Metrics) engagements() *int64 { return m.Engagements() }

// pair are two readings of a number of a target.
type pair struct {
	number   int
	first    bool // the earlier one is the publication
	from, to int64
	gain     int64
}

// until returns the gain until a time.
func (p *pair) until(ms int64) int64 {
	if ms >= p.to {
		return p.gain
	}
	return int64(math.Round(float64(p.gain) * float64(ms-p.from) / float64(p.to-p.from)))
}

// add spreads a pair over its hours, except those that are too old to be kept.
func (g *GainHours) add(p pair) {
	p.from = min(p.from, p.to)
	begin, end := floorHours(p.from), max(floorHours(p.from), floorHours(p.to-1))
	apart := (p.to - p.from + hourMillis - 1) / hourMillis
	oldest := end - int64(MaxGainAge/time.Hour)
	known := !p.first && floorHours(p.from-1) == begin // the pair before has counted the target in this hour
	var before int64
	if begin < oldest {
		begin, before, known = oldest, p.until(oldest*hourMillis), false
	}
	at, _ := slices.BinarySearchFunc(*g, begin, compareHour)
	for hour := begin; hour <= end; hour, at = hour+1, at+1 {
		if at == len(*g) || (*g)[at].Hour != hour {
			*g = slices.Insert(*g, at, GainHour{Hour: hour})
		}
		gain, sum := (*g)[at].gains()[p.number], p.until((hour+1)*hourMillis)
		gain.Value += sum - before
		gain.Apart = max(gain.Apart, apart)
		if hour > begin || !known {
			gain.Targets++
		}
		if p.first && hour == begin {
			gain.Started++
		}
		before = sum
	}
}

func compareHour(h GainHour, hour int64) int {
	switch {
	case h.Hour < hour:
		return -1
	case h.Hour > hour:
		return 1
	}
	return 0
}

// Keep removes what is too old to be kept.
func (g *GainHours) Keep(now time.Time) {
	n, _ := slices.BinarySearchFunc(*g, hourOf(now.Add(-MaxGainAge)), compareHour)
	*g = slices.Delete(*g, 0, n)
}

// Merge adds the gains of other accounts.
func (g *GainHours) Merge(others GainHours) {
	at := 0
	for i := range others {
		h := &others[i]
		n, found := slices.BinarySearchFunc((*g)[at:], h.Hour, compareHour)
		if at += n; !found {
			*g = slices.Insert(*g, at, *h)
			continue
		}
		is := (*g)[at].gains()
		for n, o := range h.gains() {
			is[n].Value, is[n].Targets, is[n].Started, is[n].Apart = is[n].Value+o.Value, is[n].Targets+o.Targets, is[n].Started+o.Started, max(is[n].Apart, o.Apart)
		}
	}
}

// errGains says that packed gains cannot be read.
var errGains = errors.New("the gains of an account cannot be read")

// Pack returns the gains as bytes, of which an hour takes a few.
func (g GainHours) Pack() (packed []byte) {
	last := int64(0)
	for i := range g {
		h := &g[i]
		packed = binary.AppendUvarint(packed, uint64(h.Hour-last))
		last = h.Hour
		var set byte
		for n, gain := range h.gains() {
			if *gain != (Gain{}) {
				set |= 1 << n
			}
		}
		packed = append(packed, set)
		for n, gain := range h.gains() {
			if set>>n&1 != 0 {
				packed = binary.AppendVarint(packed, gain.Value)
				for _, count := range []int64{gain.Targets, gain.Started, gain.Apart} {
					packed = binary.AppendUvarint(packed, uint64(count))
				}
			}
		}
	}
	return packed
}

// UnpackGains returns the gains that [GainHours.Pack] has packed.
func UnpackGains(packed []byte) (g GainHours, err error) {
	u := unpacker{rest: packed}
	last := int64(0)
	for len(u.rest) > 0 {
		h := GainHour{Hour: last + u.count()}
		set := u.byte()
		for n, gain := range h.gains() {
			if set>>n&1 != 0 {
				gain.Value, gain.Targets, gain.Started, gain.Apart = u.number(), u.count(), u.count(), u.count()
			}
		}
		if u.bad || set > 7 || h.Hour <= last && len(g) > 0 || h.Hour < last {
			return nil, errGains
		}
		last, g = h.Hour, append(g, h)
	}
	return g, nil
}

type unpacker struct {
	rest []byte
	bad  bool
}

func (u *unpacker) byte() byte {
	if len(u.rest) == 0 {
		u.bad = true
		return 0
	}
	b := u.rest[0]
	u.rest = u.rest[1:]
	return b
}

func (u *unpacker) count() int64 {
	n, size := binary.Uvarint(u.rest)
	if size <= 0 || n > math.MaxInt32 {
		u.bad, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[size:]
	return int64(n)
}

func (u *unpacker) number() int64 {
	n, size := binary.Varint(u.rest)
	if size <= 0 {
		u.bad, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[size:]
	return n
}
