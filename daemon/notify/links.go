package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// LinkReview makes the share of a message about a submitted post in a transaction, once for a
// seed, and returns its token, or none if the message gets no address.
type LinkReview func(tx storage.Tx, hook *schedctl.Webhook, e *schedctl.Event, seed [32]byte, now time.Time) (token string, err error)

// links makes the shares of a message, and returns the addresses by the ids of the events. A
// repeated message has the same addresses: their tokens are derived from the notification and
// the event with the sealing key, and are stored nowhere.
func (s *Sender) links(ctx context.Context, hook *schedctl.Webhook, about []schedctl.Event) (links map[string]string, err error) {
	if hook.Notify.ReviewLink == "" || hook.Notify.KeyID == "" || s.cfg.PublicURL == "" || s.cfg.LinkReview == nil {
		return nil, nil
	}
	var submitted []*schedctl.Event
	for i := range about {
		if e := &about[i]; e.Type == schedctl.EventPostSubmitted {
			submitted = append(submitted, e)
		}
	}
	if len(submitted) == 0 {
		return nil, nil
	}
	key := s.cfg.Sealer.DeriveKey("shares of notifications")
	err = s.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		links = make(map[string]string, len(submitted))
		for _, e := range submitted {
			mac := hmac.New(sha256.New, key[:])
			fmt.Fprintf(mac, "%q %q", hook.ID, e.ID)
			token, err := s.cfg.LinkReview(tx, hook, e, [32]byte(mac.Sum(nil)), time.Now())
			if err != nil {
				return err
			}
			if token != "" {
				links[e.ID] = s.cfg.PublicURL + schedctl.SharePath + token
			}
		}
		return nil
	})
	return links, err
}
