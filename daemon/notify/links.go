package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// LinkReview makes the share of a message about a submitted post in a transaction, once for a
// seed, and returns its token, or none if the message gets no address. refused says why, if the
// reader of the message should know it.
type LinkReview func(tx storage.Tx, hook *schedctl.Webhook, e *schedctl.Event, seed [32]byte, now time.Time) (token string, refused, err error)

// reviewLinks are the addresses of reviews in a message, by the ids of events.
type reviewLinks struct {
	addresses map[string]string
	missing   map[string]string // why there is none
}

// line returns the line about the address of an event, or nothing if it has none.
func (l *reviewLinks) line(e *schedctl.Event) string {
	if address := l.addresses[e.ID]; address != "" {
		return "Review: " + address
	}
	return l.missing[e.ID]
}

// withoutAddress says to people why a message has no address.
func withoutAddress(refused error) string {
	if e, ok := errors.AsType[*schedctl.Error](refused); ok && e.Code == schedctl.ValidationFailed && e.Field == "" {
		return "There is no address, because the workspace has too many shares. Revoke some: schedctl share list"
	}
	return "There is no address, because the API key of this notification may not make it."
}

// links makes the shares of a message, and returns the addresses by the ids of the events. A
// repeated message has the same addresses: their tokens are derived from the notification and
// the event with the sealing key, and are stored nowhere.
func (s *Sender) links(ctx context.Context, hook *schedctl.Webhook, about []schedctl.Event) (links reviewLinks, err error) {
	if hook.Notify.ReviewLink == "" || hook.Notify.KeyID == "" || s.cfg.PublicURL == "" || s.cfg.LinkReview == nil {
		return links, nil
	}
	var submitted []*schedctl.Event
	for i := range about {
		if e := &about[i]; e.Type == schedctl.EventPostSubmitted {
			submitted = append(submitted, e)
		}
	}
	if len(submitted) == 0 {
		return links, nil
	}
	key := s.cfg.Sealer.DeriveKey("shares of notifications")
	err = s.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		links = reviewLinks{make(map[string]string, len(submitted)), make(map[string]string)}
		for _, e := range submitted {
			mac := hmac.New(sha256.New, key[:])
			fmt.Fprintf(mac, "%q %q", hook.ID, e.ID)
			token, refused, err := s.cfg.LinkReview(tx, hook, e, [32]byte(mac.Sum(nil)), time.Now())
			if err != nil {
				return err
			}
			switch {
			case token != "":
				links.addresses[e.ID] = s.cfg.PublicURL + schedctl.SharePath + token
			case refused != nil:
				links.missing[e.ID] = withoutAddress(refused)
				s.cfg.Logger.Warn("a message has no address of a review", "webhook", hook.ID, "post", e.PostID, "error", refused)
			}
		}
		return nil
	})
	return links, err
}
