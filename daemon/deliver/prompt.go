package deliver

import (
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
)

// firstAskDelay returns how long to wait before the network is first asked about a
// call that has just ended with an unknown outcome: less than is planned where the
// network recognizes a repeat even of a call that is still at work.
func firstAskDelay(c *publisherCall, planned time.Duration) time.Duration {
	if network, ok := c.publisher.(publish.PromptFinder); ok {
		return min(planned, network.FindAfter())
	}
	return planned
}

// askAfter returns the instant before which the network is not asked about a
// doubt, zero for none. A network that can be asked promptly recognizes a repeat
// by the credentials of the call; with others, the call has to be over first.
func (d *Deliverer) askAfter(in *unresolvedAttempt, now *publisherCall) time.Time {
	_, prompt := now.publisher.(publish.PromptFinder)
	if !prompt || in.call.publisher == nil || d.sameLogin(in.call.account, now.account) {
		return in.overBy
	}
	if over := interruptedOverBy(now.attempt, time.Now()); over.After(in.overBy) {
		return over
	}
	return in.overBy
}
