package files

import (
	"context"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// deletedQueue is the queue of a post whose queue was deleted.
const deletedQueue = "deleted"

// newQueuePrefix starts the id of a queue that schedctl.yaml describes and that does not
// exist yet. Its name follows.
const newQueuePrefix = "new "

func isNewQueue(id string) bool { return strings.HasPrefix(id, newQueuePrefix) }

// timed reports whether the post is scheduled: whether it has a time or a slot.
func (s postState) timed() bool { return s.At != "" || s.Queue != "" }

// queueText returns the name of a queue for people.
func queueText(id string, names AccountRefs) string {
	return strings.TrimPrefix(cli.FirstNonEmpty(names[id], id), newQueuePrefix)
}

// isTime reports whether a field says when the post is published.
func (d difference) isTime() bool {
	return d.Field == "at" || d.Field == "queue" || d.Field == "not_before"
}

// notBefore returns the earliest time of the slot of a post, nil for any.
func (w *wantedPost) notBefore() *apiv1.Time {
	if w.NotBefore == "" {
		return nil
	}
	return &apiv1.Time{Time: w.first.Time.UTC()}
}

// tellSlot sets the message of a step whose post has taken a slot.
func (s *step) tellSlot() {
	if slot := s.post.Slot; slot != nil {
		s.Message = "slot " + slot.Local + " " + slot.Timezone
	}
}

// readQueues reads the queues of the daemon.
func (p *planner) readQueues(ctx context.Context) (err error) {
	if p.queues, err = p.client.Queues(ctx); err != nil && schedctl.CodeOf(err) != schedctl.NotFound { // a daemon without queues
		return err
	}
	for _, q := range p.queues {
		p.names[q.ID] = q.Name
	}
	return nil
}

// readQueue reads the queue of a file.
func (r *fileReader) readQueue(d *postfile.Document, w *wantedPost) {
	switch {
	case d.Queue == "" && d.NotBefore != "":
		r.problemf(d, d.Line("not_before"), "not_before has no effect without a queue; add queue")
	case d.Queue == "":
	case d.At != "" && !w.nextSlot:
		r.problemf(d, d.Line("queue"), "a post has either a time or a slot of a queue; remove at or queue")
	case r.accounts == nil:
		w.Queue = newQueuePrefix + d.Queue
	default:
		if w.Queue = r.queueID(d.Queue); w.Queue == "" {
			r.problemf(d, d.Line("queue"), "there is no queue %q; %s", cli.Clip(d.Queue, 60), r.queueAdvice())
		}
	}
}

// queueID returns the id of a queue with a name or an id, or a placeholder for a queue that
// apply creates. It returns the empty text for an unknown queue.
func (r *fileReader) queueID(name string) string {
	for _, q := range r.queues {
		if q.Name == name || q.ID == name {
			return q.ID
		}
	}
	if slices.ContainsFunc(r.config.Queues, func(q postfile.Queue) bool { return q.Name.Text == name }) {
		return newQueuePrefix + name
	}
	return ""
}

func (r *fileReader) queueAdvice() string {
	if r.rows {
		return "see: schedctl queue list"
	}
	if len(r.queues) == 0 {
		return "add it to " + postfile.ConfigName + ", or create it with: schedctl queue create"
	}
	names := cli.Map(r.queues, func(q apiv1.Queue) string { return q.Name })
	slices.Sort(names)
	return "the queues are " + strings.Join(names[:min(len(names), 10)], ", ")
}

// takeSlots makes the changes of the steps that take a slot, one after the other in the
// order of their ids, so that the posts get their slots in this order. It returns their
// results by id.
func (p *planner) takeSlots(ctx context.Context) map[string]error {
	results := map[string]error{}
	var takers []*step
	for i := range p.steps {
		if s := &p.steps[i]; s.takesSlot() {
			takers = append(takers, s)
		}
	}
	slices.SortFunc(takers, func(a, b *step) int { return strings.Compare(a.ID, b.ID) })
	var err error
	for _, s := range takers {
		if err == nil || post.IsLineError(err) {
			p.resolveNewQueue(s)
			err = p.take(ctx, s)
		}
		results[s.ID] = err // after a failure of the daemon also for the others
	}
	return results
}

// takesSlot reports whether a step gives its post a slot.
func (s *step) takesSlot() bool {
	if s.wanted.doc == nil || s.wanted.Queue == "" {
		return false
	}
	have := stateOf(s.post)
	return s.Action == doCreate || s.does() && (have.Queue != s.wanted.Queue || have.NotBefore != s.wanted.NotBefore)
}

// resolveNewQueue replaces the placeholder of a queue that apply has created.
func (p *planner) resolveNewQueue(s *step) {
	if name, placeholder := strings.CutPrefix(s.wanted.Queue, newQueuePrefix); placeholder {
		s.wanted.Queue = p.queueID(name)
	}
}
