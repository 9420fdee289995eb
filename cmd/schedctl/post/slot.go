package post

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/queue"
)

// slotFlags are the flags with which a post takes the next free slot of a queue.
type slotFlags struct {
	next             bool
	queue, notBefore string
	allowBlackout    bool
}

func (s *slotFlags) add(a *cli.App, cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.next, "next-slot", false, "take the next free slot of a queue (see: schedctl queue --help)")
	f.StringVar(&s.queue, "queue", "", "take the next free slot of this `queue`: its name or its id")
	f.StringVar(&s.notBefore, "not-before", "", "take no slot before this `time`; a day alone means its start")
	f.BoolVar(&s.allowBlackout, "allow-blackout", false, "accept a time in a blackout")
	cmd.RegisterFlagCompletionFunc("queue", queue.Queues.CompleteFlag(a))
}

// given reports whether the post takes a slot.
func (s *slotFlags) given() bool { return s.next || s.queue != "" }

// names reports whether the flags choose among slots, which only a key that schedules may.
func (s *slotFlags) names() bool { return s.queue != "" || s.notBefore != "" }

// publishAt returns the time of the flags for the API: that of w, or the next slot; nil
// without flags.
func (s *slotFlags) publishAt(a *cli.App, w *cli.WhenFlags) (*apiv1.PublishTime, error) {
	if strings.EqualFold(strings.TrimSpace(w.At), apiv1.PublishNextSlot) {
		w.At, s.next = "", true
	}
	switch {
	case s.given() && w.Given():
		return nil, cli.UsageError("a post takes a slot or has a fixed time").WithHint("give --next-slot or --queue, or one of --at, --in and --now")
	case s.notBefore != "" && !s.given():
		return nil, cli.UsageError("--not-before is for the next free slot").WithHint("give --next-slot or --queue too")
	case s.given() && s.allowBlackout:
		return nil, cli.UsageError("slots step around blackouts, so --allow-blackout is for a fixed time").WithHint("give --at TIME --allow-blackout")
	case !s.given():
		return w.PublishAt(a)
	}
	w.Moving = true // a repeated command finds another slot
	return apiv1.NextSlot(), nil
}

// book finds the queue and reads --not-before, and returns the change of a post.
func (s *slotFlags) book(ctx context.Context, a *cli.App, c *client.Client, w *cli.WhenFlags) (b apiv1.EditPost, err error) {
	b.AllowBlackout = s.allowBlackout
	if !s.given() {
		return b, nil
	}
	earliest, err := w.ParseBound(a, "not before", s.notBefore)
	if err != nil {
		return b, err
	}
	b.NotBefore = apiv1.NewTime(earliest)
	id, err := queue.Queues.FlagID(ctx, a, c, s.queue)
	if id != "" {
		b.QueueID = &id
	}
	return b, err
}

// key describes the flags, for the idempotency key of a command in a CI job.
func (s *slotFlags) key() (parts []string) {
	if s.given() {
		parts = append(parts, "next-slot", s.queue, s.notBefore)
	}
	if s.allowBlackout {
		parts = append(parts, "allow-blackout")
	}
	return parts
}

// echo shows the time of the slot that a post took, as --at shows its time.
func (s *slotFlags) echo(a *cli.App, p apiv1.Post) {
	if !s.given() || p.Slot == nil || p.PublishAt == nil {
		return
	}
	zone, err := time.LoadLocation(p.Slot.Timezone)
	if err != nil {
		zone = a.Local
	}
	a.EchoTime(when.Result{Time: p.PublishAt.In(zone)}, a.Now(), a.Local)
}
