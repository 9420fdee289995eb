package apiv1

import "github.com/schedctl/schedctl"

// CalendarFeed is an address at which calendar programs read posts. It never contains
// the address.
type CalendarFeed struct {
	ID               string   `json:"id" doc:"Starts with cal_."`
	Name             string   `json:"name" doc:"Unique in the workspace."`
	SocialAccountIDs []string `json:"social_account_ids" doc:"The feed has posts with one of these accounts; empty for all posts."`
	TitlesOnly       bool     `json:"titles_only" doc:"Whether the feed has only the first words of each post."`
	ExpiresAt        *Time    `json:"expires_at" doc:"When the API key that made it expires, and the feed with it; null for never."`
	CreatedAt        *Time    `json:"created_at" doc:"When it was created." nullable:"false"`
}

// CalendarFeedAddress is the only response that contains the address.
type CalendarFeedAddress struct {
	CalendarFeed CalendarFeed `json:"calendar_feed" doc:"The calendar feed."`
	URL          string       `json:"url" doc:"The address for calendar programs. It needs no login: keep it secret. It is not shown again."`
}

// CalendarFeedList is all calendar feeds in order of creation.
type CalendarFeedList struct {
	Results []CalendarFeed `json:"results" doc:"The calendar feeds in order of creation."`
	Count   int            `json:"count" doc:"The number of results."`
}

// CreateCalendarFeed is the body of POST /calendar-feeds.
type CreateCalendarFeed struct {
	Name             string   `json:"name" doc:"1 to 80 characters, unique in the workspace." minLength:"1" maxLength:"80"`
	SocialAccountIDs []string `json:"social_account_ids,omitempty" doc:"Only posts with one of these accounts; empty or absent for all posts." maxItems:"100" uniqueItems:"true"`
	TitlesOnly       bool     `json:"titles_only,omitempty" doc:"Put only the first words of each post into the feed."`
}

// NewCalendarFeed returns the wire form of a calendar feed.
func NewCalendarFeed(f schedctl.CalendarFeed) CalendarFeed {
	return CalendarFeed{
		ID: f.ID, Name: f.Name, SocialAccountIDs: append([]string{}, f.AccountIDs...), TitlesOnly: f.TitlesOnly,
		ExpiresAt: NewTime(f.ExpiresAt), CreatedAt: NewTime(f.CreatedAt),
	}
}
