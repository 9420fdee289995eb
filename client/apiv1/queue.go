package apiv1

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// Queue is a weekly timetable of slots.
type Queue struct {
	ID               string      `json:"id" doc:"Starts with que_."`
	Name             string      `json:"name" doc:"Unique in the workspace."`
	Timezone         string      `json:"timezone" doc:"The IANA name of the zone of the times."`
	Times            []QueueTime `json:"times" doc:"When posts are published."`
	SocialAccountIDs []string    `json:"social_account_ids" doc:"The accounts that use the queue; empty for all."`
	Gap              string      `json:"gap" doc:"The smallest distance between a slot and another post of the same account, such as 30m."`
	Default          bool        `json:"default" doc:"Whether posts use this queue if no queue names their accounts."`
	Managed          *Managed    `json:"managed" doc:"The file that describes the queue; null for none."`
	Version          int64       `json:"version" doc:"1 for a new queue, increased with every change. The ETag is derived from it."`
	CreatedAt        *Time       `json:"created_at" doc:"When it was created." nullable:"false"`
	UpdatedAt        *Time       `json:"updated_at" doc:"When it was last changed." nullable:"false"`
}

// QueueTime is a time of day on some weekdays.
type QueueTime struct {
	Days []string `json:"days" doc:"mon, tue, wed, thu, fri, sat or sun; at least one." minItems:"1" maxItems:"7" uniqueItems:"true" enum:"mon,tue,wed,thu,fri,sat,sun"`
	At   string   `json:"at" doc:"The time of day in the zone of the queue, 00:00 to 23:59." pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$"`
}

// Slot is the slot that a post has.
type Slot struct {
	Local    string `json:"local" doc:"The local time of the slot, such as 2026-12-08T09:00, also if the clocks skip it."`
	Timezone string `json:"timezone" doc:"The IANA name of its zone."`
}

// QueueEnvelope is the response to requests about one queue. Displaced lists the
// scheduled posts of the queue whose times are no longer slots of it.
type QueueEnvelope struct {
	Queue     Queue    `json:"queue" doc:"The queue."`
	Displaced []string `json:"displaced" doc:"The ids of scheduled posts whose slots the queue no longer has. They keep their times until reflow."`
}

// QueueList is all queues in order of creation.
type QueueList struct {
	Results []Queue `json:"results" doc:"The queues in order of creation."`
	Count   int     `json:"count" doc:"The number of results."`
}

// CreateQueue is the body of POST /queues.
type CreateQueue struct {
	Name             string      `json:"name" doc:"1 to 80 characters, unique in the workspace." minLength:"1" maxLength:"80"`
	Timezone         string      `json:"timezone" doc:"An IANA name, such as Europe/Berlin."`
	Times            []QueueTime `json:"times" doc:"When posts are published, at most 48 times on one weekday." minItems:"1" maxItems:"100"`
	SocialAccountIDs []string    `json:"social_account_ids,omitempty" doc:"The accounts that use the queue; empty or absent for all." maxItems:"100" uniqueItems:"true"`
	Gap              string      `json:"gap,omitempty" doc:"The smallest distance between a slot and another post of the same account, up to 24h. Default: 0s."`
	Default          bool        `json:"default,omitempty" doc:"Whether posts use this queue if no queue names their accounts. The first queue is the default in any case."`
	Managed          *Managed    `json:"managed,omitempty" doc:"The file that describes the queue; null or absent for none."`
	DryRun           bool        `json:"dry_run,omitempty" doc:"Only check the request: nothing is stored, and the response is as it would be."`
}

// EditQueue is the body of PATCH /queues/{id}; absent fields stay as they are.
type EditQueue struct {
	Name             *string      `json:"name,omitempty" doc:"The new name." minLength:"1" maxLength:"80"`
	Timezone         *string      `json:"timezone,omitempty" doc:"The new zone."`
	Times            *[]QueueTime `json:"times,omitempty" doc:"The new list of times. Posts keep theirs until reflow." minItems:"1" maxItems:"100"`
	SocialAccountIDs *[]string    `json:"social_account_ids,omitempty" doc:"The new list of accounts; empty for all." maxItems:"100" uniqueItems:"true"`
	Gap              *string      `json:"gap,omitempty" doc:"The new gap."`
	Default          *bool        `json:"default,omitempty" doc:"true makes this queue the only default; false is refused on the default queue."`
	Managed          *Managed     `json:"managed,omitempty" doc:"The file that describes the queue; null takes the queue out of its collection."`
	DryRun           bool         `json:"dry_run,omitempty" doc:"Only check the request: nothing is stored, and the response is as it would be."`
}

// QueueSlotState says whether a slot can be taken.
type QueueSlotState string

// The states of slots.
const (
	SlotFree     QueueSlotState = "free"
	SlotProposed QueueSlotState = "proposed" // free, and drafts that wait for an approval propose it
	SlotIsTaken  QueueSlotState = "taken"
	SlotBlocked  QueueSlotState = "blocked" // by a blackout
)

// QueueSlot is one slot of a queue.
type QueueSlot struct {
	At      Time               `json:"at" doc:"When it is."`
	Local   string             `json:"local" doc:"Its local time in the zone of the queue, also if the clocks skip it."`
	State   QueueSlotState     `json:"state" doc:"free for all accounts in question; proposed: free, and posts that wait for an approval propose its time; taken by a post; or blocked by a blackout." enum:"free,proposed,taken,blocked"`
	PostID  *string            `json:"post_id" doc:"A post that takes it or that is closer than the gap; null for none."`
	PostIDs []string           `json:"post_ids,omitempty" doc:"The posts that propose its time; absent unless it is proposed."`
	Note    schedctl.LocalNote `json:"note" doc:"skipped: the clocks skip the local time, and at is the first instant after the gap; repeated: they show it twice, and at is the first of the two; otherwise empty." enum:",skipped,repeated"`
}

// QueueSlots is the slots of a queue in order of time.
type QueueSlots struct {
	Results []QueueSlot `json:"results" doc:"The slots in order of time."`
	Count   int         `json:"count" doc:"The number of results."`
}

// OrderQueue is the body of POST /queues/{id}/order: the posts exchange their times, so
// that the first post has the earliest one.
type OrderQueue struct {
	PostIDs []string `json:"post_ids" doc:"Scheduled posts with slots of the queue, each once, in their new order." minItems:"2" maxItems:"500" uniqueItems:"true"`
}

// ReflowQueue is the body of POST /queues/{id}/reflow.
type ReflowQueue struct {
	DryRun bool    `json:"dry_run,omitempty" doc:"Only return the moves and the digest."`
	Digest *string `json:"digest,omitempty" doc:"The digest of the dry run. The request is refused if the queue or its posts changed since." nullable:"true"`
}

// QueueMoves is the response of order and reflow.
type QueueMoves struct {
	Digest string      `json:"digest" doc:"The state of the queue and of its posts before the moves."`
	Moves  []QueueMove `json:"moves" doc:"The posts that get other times, in the order of the queue."`
}

// QueueMove is a post that gets another time.
type QueueMove struct {
	PostID string `json:"post_id" doc:"The post."`
	From   Time   `json:"from" doc:"The time that it had."`
	To     Time   `json:"to" doc:"The time that it gets."`

	Behind []string `json:"behind" doc:"At most 20 posts of the queue that stay: it was to be published before them and is now published after them, because there is no free slot between."`
}

var weekdayNames = [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// NewQueue returns the wire form of a queue.
func NewQueue(q schedctl.Queue) Queue {
	out := Queue{
		ID: q.ID, Name: q.Name, Timezone: q.Timezone, Times: make([]QueueTime, len(q.Times)),
		SocialAccountIDs: append([]string{}, q.AccountIDs...), Gap: FormatGap(q.Gap), Default: q.Default, Managed: (*Managed)(q.Managed),
		Version: q.Version, CreatedAt: NewTime(q.CreatedAt), UpdatedAt: NewTime(q.UpdatedAt),
	}
	for i, t := range q.Times {
		out.Times[i] = NewQueueTime(t)
	}
	return out
}

// NewQueueTime returns the wire form of a time of a queue.
func NewQueueTime(t schedctl.QueueTime) QueueTime {
	out := QueueTime{At: fmt.Sprintf("%02d:%02d", t.Minute/60, t.Minute%60), Days: []string{}}
	for _, d := range t.Days.Days() {
		out.Days = append(out.Days, weekdayNames[d])
	}
	return out
}

// Domain returns the time as package schedctl has it. It reports false for an unknown
// weekday or a time of day that is not valid.
func (t QueueTime) Domain() (out schedctl.QueueTime, ok bool) {
	at, err := time.Parse("15:04", t.At)
	if err != nil || len(t.At) != len("15:04") {
		return out, false
	}
	out.Minute = at.Hour()*60 + at.Minute()
	for _, name := range t.Days {
		day, ok := weekdayOf(name)
		if !ok {
			return out, false
		}
		out.Days |= schedctl.WeekdaysOf(day)
	}
	return out, out.Days != 0
}

func weekdayOf(name string) (time.Weekday, bool) {
	for i, known := range weekdayNames {
		if name == known {
			return time.Weekday(i), true
		}
	}
	return 0, false
}

// FormatGap returns a gap as people write it: 30m, 1h30m, 0s.
func FormatGap(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func newSlot(s schedctl.Slot) *Slot {
	if s == (schedctl.Slot{}) {
		return nil
	}
	return &Slot{Local: string(s.Local), Timezone: s.Timezone}
}
