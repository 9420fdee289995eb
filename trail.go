package schedctl

import "time"

// Trail says who wrote a post, and which posts it belongs to. The template of a series has
// its authors only.
type Trail struct {
	CreatedBy  string    // the API key that made the post; empty if it is not known
	UpdatedBy  string    // the API key that changed the post last; empty if it is not known
	ArchivedAt time.Time // zero unless the post was put away
	ResendOf   string    // the post whose failed targets this one sends again; may be empty
	ResentAs   string    // the post that sends the failed targets of this one again; may be empty
}
