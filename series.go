package schedctl

import (
	"crypto/sha256"
	"slices"
	"time"
)

// Limits of series.
const (
	MaxSeries        = 2000 // series of a workspace that have not ended
	MaxExdates       = 1000 // exdates of a series
	MaxVariants      = 50   // variants of a series
	MaxRule          = 500  // bytes of a rule
	DefaultAheadDays = 14   // see [Series.AheadDays]
	MaxAheadDays     = 60   // see [Series.AheadDays]
	MaxAhead         = 200  // scheduled posts of a series
)

// Series is a recurring post. Its occurrences are posts; see [NewOccurrence].
type Series struct {
	ID          string
	WorkspaceID string
	Name        string // 1–80 characters

	// Template is the draft from which the posts are made: content, media, thread, poll
	// and the like. Its targets are the accounts, with their overrides. It has no id.
	Template Post

	// Variants are texts that replace the content of the template, one after the other:
	// occurrence n has the variant n modulo their number.
	Variants []string

	Timezone string      // IANA name of the zone of Start, Rule and Exdates
	Start    LocalTime   // where Rule starts; it is an occurrence only if it fits Rule
	Rule     string      // an RRULE of RFC 5545, without the name
	Exdates  []LocalTime // sorted; occurrences that are skipped

	// AheadDays is how many days before its time the post of an occurrence is made.
	AheadDays int

	// QueueID makes each occurrence take the first free slot at or after its local time
	// on the same day. Otherwise it is empty.
	QueueID string

	State      SeriesState
	ExternalID string   // the client's own id for the series, unique among the series of the workspace; may be empty
	Managed    *Managed // the collection of files that the series belongs to, or nil

	// Cursor is the last occurrence that was decided: its post was made, or it was left
	// out. Later ones are decided by the next sweep. Moving Cursor back is harmless:
	// the same occurrences have the same ids, and a post that exists is not made again.
	Cursor LocalTime

	// SweepAt is when the next sweep of the series is due; zero unless it is active.
	SweepAt time.Time

	NextAt     time.Time // of the next occurrence, as of the last sweep; zero for none
	PreviousID string    // the series that this one continues after an edit; may be empty

	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64 // 1 when created, +1 with every change by a client
}

// NewTemplate returns the template of a series: the draft that Create returns, without
// id, publish time and external id. Errors: those of [Create].
func NewTemplate(n NewPost, now time.Time) (Post, error) {
	n.Now, n.PublishAt, n.Booking = false, time.Time{}, Booking{}
	n.Annotation = Annotation{Labels: n.Labels}
	p, _, err := Create(n, now)
	p.ID, p.CreatedAt, p.UpdatedAt, p.Version = "", time.Time{}, time.Time{}, 0
	return p, err
}

// SeriesState says whether a series makes posts.
type SeriesState string

// The states of a series.
const (
	SeriesActive SeriesState = "active"
	SeriesPaused SeriesState = "paused"
	SeriesEnded  SeriesState = "ended" // final: by its rule, or by the end operation
)

// SeriesStates lists the states.
func SeriesStates() []SeriesState { return []SeriesState{SeriesActive, SeriesPaused, SeriesEnded} }

// Clone returns a copy that shares nothing with s.
func (s *Series) Clone() Series {
	c := *s
	c.Template, c.Variants, c.Exdates = s.Template.Clone(), slices.Clone(s.Variants), slices.Clone(s.Exdates)
	c.Managed = s.Managed.clone()
	return c
}

// HasExdate reports whether the occurrence is skipped.
func (s *Series) HasExdate(local LocalTime) bool {
	_, found := slices.BinarySearch(s.Exdates, local)
	return found
}

// AddExdate skips an occurrence. It reports whether it was not skipped before.
func (s *Series) AddExdate(local LocalTime) bool {
	at, found := slices.BinarySearch(s.Exdates, local)
	if !found {
		s.Exdates = slices.Insert(slices.Clone(s.Exdates), at, local)
	}
	return !found
}

// ContentOf returns the text of the occurrence with an index, counted from 0 at the
// start of the series. Occurrences that are skipped count.
func (s *Series) ContentOf(index int) string {
	if n := len(s.Variants); n > 0 {
		return s.Variants[index%n]
	}
	return s.Template.Text
}

// OccurrencePostID returns the id of the post of an occurrence. It is the same on every
// node and in every copy of the database: the time of the id of the series, and the
// first ten bytes of the SHA-256 of the series' id, a line feed and the local time.
func OccurrencePostID(seriesID string, local LocalTime) string {
	return occurrenceID(PostPrefix, seriesID, seriesID+"\n"+string(local))
}

// OccurrenceTargetID is [OccurrencePostID] for the target of an account: the hash also
// has a line feed and the account's id.
func OccurrenceTargetID(seriesID string, local LocalTime, accountID string) string {
	return occurrenceID(TargetPrefix, seriesID, seriesID+"\n"+string(local)+"\n"+accountID)
}

func occurrenceID(p Prefix, seriesID, hashed string) string {
	const timeBytes = 6
	series, _ := ParseID(SeriesPrefix, seriesID)
	sum := sha256.Sum256([]byte(hashed))
	var u ULID
	copy(u[:timeBytes], series[:timeBytes])
	copy(u[timeBytes:], sum[:])
	return u.ID(p)
}

// Occurrence is one time of a series.
type Occurrence struct {
	Local LocalTime
	Index int       // counted from 0 at the start of the series
	At    time.Time // when its post is published

	// Booking is the slot that the post takes in a series with a queue; otherwise zero.
	Booking Booking
}

// NewOccurrence returns the scheduled post of an occurrence. Its time may have passed;
// the post is then late. The result depends only on the arguments, except for the ids
// of the events. Errors: those of [Create], if the variant or the template is not
// valid.
func NewOccurrence(s *Series, o Occurrence, now time.Time) (Post, []Event, error) {
	now = Millis(now)
	p := s.Template.Clone()
	p.ID, p.WorkspaceID = OccurrencePostID(s.ID, o.Local), s.WorkspaceID
	p.Notes, p.Changes = nil, nil
	p.Text, p.Booking = s.ContentOf(o.Index), o.Booking
	p.SeriesID, p.Occurrence = s.ID, o.Local
	p.CreatedAt, p.UpdatedAt, p.Version = now, now, 1
	if err := p.check(); err != nil {
		return Post{}, nil, err
	}
	for i := range p.Targets {
		p.Targets[i].ID = OccurrenceTargetID(s.ID, o.Local, p.Targets[i].AccountID)
	}
	if s.Approved() {
		p.Approval.Digest = p.ReviewDigest()
	} else {
		p.Approval = nil
	}
	if err := p.startAt(TriggerSchedule, o.At); err != nil {
		return Post{}, nil, err
	}
	return p, p.queued(p.events(now, EventPostCreated, EventPostScheduled), now, nil), nil
}

// SeriesEvent returns an event about a series.
func SeriesEvent(typ EventType, s *Series, skipped *SkippedOccurrences, now time.Time) Event {
	now = Millis(now)
	return Event{ID: NewID(EventPrefix, now), Type: typ, CreatedAt: now, WorkspaceID: s.WorkspaceID, SeriesID: s.ID, Skipped: skipped}
}

// SkippedOccurrences says which occurrences of a series were left out, and why.
type SkippedOccurrences struct {
	Reason SkipReason
	Count  int
	First  LocalTime
	Last   LocalTime
}

// SkipReason is why occurrences were left out.
type SkipReason string

// The reasons.
const (
	SkipMissed    SkipReason = "missed"    // no daemon was running, and a later one was made
	SkipDuplicate SkipReason = "duplicate" // the duplicate guard of an account refuses the text
	SkipNoSlot    SkipReason = "no_slot"   // the queue has no free slot on that day
	SkipRefused   SkipReason = "refused"   // a network refuses the content, or the accounts are gone
)

// RemovedEvent returns the event that a scheduled occurrence was removed with its
// series, or because the series changed.
func (p *Post) RemovedEvent(now time.Time) Event {
	now = Millis(now)
	return p.events(now, EventPostRemoved)[0]
}
