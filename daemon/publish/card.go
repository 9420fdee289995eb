package publish

import "github.com/schedctl/schedctl"

// CardPublisher is a publisher whose network shows the link card that a post describes.
// Others are never given the picture of a card.
type CardPublisher interface {
	// CardImageRules returns the limits of the picture. It sends no request and reads
	// only the account's limits and options.
	CardImageRules(schedctl.Account) ClassRules
}
