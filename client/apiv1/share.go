package apiv1

import "github.com/schedctl/schedctl"

// Share is an address at which a person sees posts in a browser. It never contains the
// address.
type Share struct {
	ID         string       `json:"id" doc:"Starts with shr_."`
	Kind       string       `json:"kind" doc:"review: posts that wait for an approval; or calendar." enum:"review,calendar"`
	Name       string       `json:"name" doc:"The name of the person."`
	Can        string       `json:"can" doc:"What the person may do; each right includes the ones before it: view, comment, decide." enum:"view,comment,decide"`
	PostIDs    []string     `json:"post_ids" doc:"The posts that it shows; empty if filter selects them."`
	Filter     *ShareFilter `json:"filter" doc:"Which posts it shows, also later ones; null if post_ids names them."`
	ExpiresAt  *Time        `json:"expires_at" doc:"When it ends. It also ends when the API key that made it does." nullable:"false"`
	CreatedBy  string       `json:"created_by" doc:"The id of the API key that made it."`
	CreatedAt  *Time        `json:"created_at" doc:"When it was made." nullable:"false"`
	LastUsedAt *Time        `json:"last_used_at" doc:"When the address was last opened; null before. May be up to a minute late."`
	Uses       int64        `json:"uses" doc:"How often the address was opened. May be up to a minute late."`
	RevokedAt  *Time        `json:"revoked_at" doc:"When it was revoked; null unless it was."`
}

// ShareFilter selects the posts of a share. A review without an approval state shows the
// posts that wait for an approval.
type ShareFilter struct {
	SocialAccountIDs []string `json:"social_account_ids,omitempty" doc:"Only posts with one of these accounts; empty or absent for all that the API key may use." maxItems:"100" uniqueItems:"true"`
	Labels           []string `json:"labels,omitempty" doc:"Only posts with one of these labels; empty or absent for all." maxItems:"20" uniqueItems:"true"`
	Approval         *string  `json:"approval,omitempty" doc:"Only posts with this state of their approval; null or absent for pending in a review, and for all posts in a calendar." enum:"pending,approved,changes_requested,withdrawn"`
}

// CreateShare is the body of POST /shares.
type CreateShare struct {
	Kind      string       `json:"kind" doc:"review: posts that wait for an approval; or calendar." enum:"review,calendar"`
	Name      string       `json:"name" doc:"The name of the person who gets the address, 1 to 80 characters." minLength:"1" maxLength:"80"`
	Can       *string      `json:"can,omitempty" doc:"What the person may do: view, comment or decide; view if absent. The API key must be able to do it too, and a calendar cannot decide." enum:"view,comment,decide"`
	PostIDs   []string     `json:"post_ids,omitempty" doc:"The posts of a review; empty or absent for those that filter selects." maxItems:"100" uniqueItems:"true"`
	Filter    *ShareFilter `json:"filter,omitempty" doc:"Which posts it shows, also later ones. Not together with post_ids."`
	ExpiresAt *Time        `json:"expires_at,omitempty" doc:"When it ends, at most 90 days ahead; 7 days ahead if null or absent." nullable:"true"`
}

// ShareAddress is the only response that contains the address.
type ShareAddress struct {
	Share Share  `json:"share" doc:"The share."`
	URL   string `json:"url" doc:"The address for the person. It needs no login: keep it secret. It is not shown again."`
}

// ShareEnvelope is one share.
type ShareEnvelope struct {
	Share Share `json:"share" doc:"The share."`
}

// ShareList is all shares in order of creation.
type ShareList struct {
	Results []Share `json:"results" doc:"The shares in order of creation."`
	Count   int     `json:"count" doc:"The number of results."`
}

// NewShare returns the wire form of a share.
func NewShare(s schedctl.Share) Share {
	out := Share{
		ID: s.ID, Kind: string(s.Kind), Name: s.Name, Can: string(s.Can), PostIDs: append([]string{}, s.PostIDs...), ExpiresAt: NewTime(s.ExpiresAt),
		CreatedBy: s.KeyID, CreatedAt: NewTime(s.CreatedAt), LastUsedAt: NewTime(s.LastUsedAt), Uses: s.Uses, RevokedAt: NewTime(s.RevokedAt),
	}
	if len(s.PostIDs) == 0 {
		out.Filter = &ShareFilter{SocialAccountIDs: s.Filter.AccountIDs, Labels: s.Filter.Labels, Approval: optional(string(s.Filter.Approval))}
	}
	return out
}
