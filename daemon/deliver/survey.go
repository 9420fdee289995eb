package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxSurvey is how many held targets a survey reads to learn their time, each of
// them by a way to a server and back.
const maxSurvey = 500

// survey is a sweep beside the dispatcher, for a store that is a way to a server
// and back, or away.
type survey struct {
	queues   []*queue
	places   []storage.Route // of the accounts
	accounts []schedctl.Account
	expires  map[schedctl.ULID]int64 // as entry.expires, of targets of which it is not known
}

// surveyBeside looks at held queues on a goroutine of its own.
func (x *dispatcher) surveyBeside(ctx context.Context, held []*queue) {
	if x.surveying {
		return
	}
	s := &survey{queues: held, places: make([]storage.Route, len(held)), expires: map[schedctl.ULID]int64{}}
	for i, q := range held {
		s.places[i] = storage.Route{WorkspaceID: q.workspace, AccountID: q.account}
		for _, e := range q.waiting.items {
			if e.expires == 0 && len(s.expires) < maxSurvey {
				s.expires[e.Target] = 0
			}
		}
	}
	x.surveying = true
	x.jobs.Go(func() {
		err := x.Deliverer.survey(ctx, s)
		x.mail.report(func(x *dispatcher) { x.surveyed(s, err) })
	})
}

func (d *Deliverer) survey(ctx context.Context, s *survey) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return d.cfg.Store.View(ctx, func(r storage.Reader) error {
		s.accounts = s.accounts[:0]
		for _, p := range s.places {
			a, err := r.Account(p.WorkspaceID, p.AccountID)
			if err != nil {
				return err
			}
			s.accounts = append(s.accounts, a)
		}
		targets := make([]schedctl.ULID, 0, len(s.expires))
		for target := range s.expires {
			targets = append(targets, target)
		}
		if err := prepare(d, r, targets, func(t *schedctl.ULID) string { return schedctl.Due{Target: *t}.TargetID() }); err != nil {
			return err
		}
		for _, target := range targets {
			late, err := lateSince(r, schedctl.Due{Target: target}.TargetID())
			if err != nil {
				return err
			}
			s.expires[target] = d.expiry(late)
		}
		return nil
	})
}

// surveyed holds or releases the queues by what was read.
func (x *dispatcher) surveyed(s *survey, err error) {
	x.surveying = false
	if err != nil {
		x.log.Error("held accounts cannot be read, trying again", "error", err)
		return
	}
	now := time.Now()
	for i, q := range s.queues {
		if q.busy || !q.held {
			continue
		}
		if x.queues.reconsider(q, s.accounts[i], now); q.held {
			for j := range q.waiting.items {
				if e := &q.waiting.items[j]; e.expires == 0 {
					e.expires = s.expires[e.Target]
				}
			}
			q.expire(now)
		}
		x.queues.arrange(q, now)
	}
}
