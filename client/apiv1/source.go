package apiv1

import (
	"cmp"
	"time"

	"github.com/schedctl/schedctl"
)

// Source makes posts of items that come from elsewhere.
type Source struct {
	ID               string                  `json:"id" doc:"Starts with src_."`
	Name             string                  `json:"name" doc:"Unique in the workspace."`
	Kind             schedctl.SourceKind     `json:"kind" doc:"feed: schedctl reads the items; webhook: another program sends them." enum:"feed,webhook"`
	URL              *string                 `json:"url" doc:"The address of the feed; null for a webhook."`
	Interval         string                  `json:"interval" doc:"How often the feed is read, such as 30m."`
	Template         string                  `json:"template" doc:"The template of the posts."`
	SocialAccountIDs []string                `json:"social_account_ids" doc:"The accounts of the posts."`
	Overrides        []SourceOverride        `json:"overrides" doc:"What is different for single accounts."`
	QueueID          *string                 `json:"queue_id" doc:"The queue of the mode next-slot; null for that of the accounts."`
	Mode             schedctl.SourceMode     `json:"mode" doc:"What becomes of an item." enum:"draft,submit,next-slot,now"`
	Filter           SourceFilter            `json:"filter" doc:"Which items make posts."`
	Delay            string                  `json:"delay" doc:"From the first sight of an item to its post, such as 10m."`
	MaxPerDay        int                     `json:"max_per_day" doc:"How many posts it makes in 24 hours."`
	Image            schedctl.SourceImage    `json:"image" doc:"Where the picture comes from." enum:"item,page,none"`
	ImageRequired    bool                    `json:"image_required" doc:"Whether an item without a usable picture makes no post."`
	Link             SourceLink              `json:"link" doc:"How links are changed."`
	Identity         schedctl.SourceIdentity `json:"identity" doc:"By what an item is known again." enum:"auto,guid,link"`
	Labels           []string                `json:"labels" doc:"The labels of the posts."`
	Language         *string                 `json:"language" doc:"The language of the posts; null for none."`
	Secrets          []string                `json:"secrets" doc:"Which secrets it has: basic_auth, header. Their values are never returned."`
	APIKeyID         string                  `json:"api_key_id" doc:"The key that it acts for. It never does more than this key may."`
	State            schedctl.SourceState    `json:"state" doc:"active; paused; held, until a person decides; or error: the feed cannot be read." enum:"active,paused,held,error"`
	Error            *SourceFault            `json:"error" doc:"Why it is held, or what fails; null for nothing."`
	KnownBy          schedctl.SourceIdentity `json:"known_by" doc:"The identity in use." enum:"guid,link"`
	Warnings         []string                `json:"warnings" doc:"What is unusual about the feed."`
	LastFetchAt      *Time                   `json:"last_fetch_at" doc:"The last time it was read; null for never."`
	LastSuccessAt    *Time                   `json:"last_success_at" doc:"The last time that worked; null for never."`
	NextFetchAt      *Time                   `json:"next_fetch_at" doc:"The next time; null for never."`
	ItemsToday       int                     `json:"items_today" doc:"The posts of the last 24 hours."`
	Managed          *Managed                `json:"managed" doc:"The file that describes it; null for none."`
	Version          int64                   `json:"version" doc:"1 for a new source, increased with every change by a person."`
	CreatedAt        *Time                   `json:"created_at" doc:"When it was created." nullable:"false"`
	UpdatedAt        *Time                   `json:"updated_at" doc:"When it was last changed." nullable:"false"`
}

// SourceFault says why a source makes no posts.
type SourceFault struct {
	Code    string `json:"code" doc:"flood, owner_gone, moved, gone, or why the feed cannot be read."`
	Message string `json:"message" doc:"What to do."`
	Since   *Time  `json:"since" doc:"Since when." nullable:"false"`
}

// SourceFilter selects items.
type SourceFilter struct {
	Include     []string `json:"include,omitempty" doc:"Whole words; one of them has to be in the title or the text." maxItems:"50"`
	Exclude     []string `json:"exclude,omitempty" doc:"Whole words; none of them may be there." maxItems:"50"`
	Categories  []string `json:"categories,omitempty" doc:"One of them has to be a category of the item." maxItems:"50"`
	Authors     []string `json:"authors,omitempty" doc:"One of them has to be the author." maxItems:"50"`
	TitleRegex  string   `json:"title_regex,omitempty" doc:"An RE2 expression that the title has to match." maxLength:"500"`
	Prereleases bool     `json:"prereleases,omitempty" doc:"Whether versions such as v1.2.0-rc.1 make posts."`
}

// SourceOverride is what a source does differently for an account.
type SourceOverride struct {
	SocialAccountID string `json:"social_account_id" doc:"One of the accounts of the source."`
	Template        string `json:"template" doc:"The template for this account." minLength:"1" maxLength:"4000"`
}

// SourceLink says how links are changed.
type SourceLink struct {
	Strip  bool              `json:"strip,omitempty" doc:"Whether parameters that track readers are removed."`
	Params map[string]string `json:"params,omitempty" doc:"Parameters that are added, such as utm_source: {{.Platform}}."`
}

// SourceAuth is a name and a password that the server of a feed asks for.
type SourceAuth struct {
	Username string `json:"username" doc:"The name." maxLength:"500"`
	Password string `json:"password" doc:"The password." maxLength:"500"`
}

// SourceHeader is a header that the server of a feed asks for.
type SourceHeader struct {
	Name  string `json:"name" doc:"The name of the header." maxLength:"100"`
	Value string `json:"value" doc:"Its value." maxLength:"2000"`
}

// CreateSource is the body of POST /sources and of POST /sources/preview.
type CreateSource struct {
	Name             string           `json:"name" doc:"1 to 80 characters, unique in the workspace." minLength:"1" maxLength:"80"`
	Kind             string           `json:"kind,omitempty" doc:"Default: feed." enum:"feed,webhook"`
	URL              string           `json:"url,omitempty" doc:"The address of the feed, http or https." maxLength:"2000"`
	Interval         string           `json:"interval,omitempty" doc:"5m to 24h. Default: 30m."`
	Template         string           `json:"template,omitempty" doc:"A text/template. Default: the title and the link." maxLength:"4000"`
	SocialAccountIDs []string         `json:"social_account_ids" doc:"The accounts of the posts." minItems:"1" maxItems:"100" uniqueItems:"true"`
	Overrides        []SourceOverride `json:"overrides,omitempty" doc:"What is different for single accounts."`
	QueueID          string           `json:"queue_id,omitempty" doc:"The queue of the mode next-slot. Default: that of the accounts."`
	Mode             string           `json:"mode,omitempty" doc:"Default: draft. next-slot and now also need posts:write. Where an approval is needed, both ask for it." enum:"draft,submit,next-slot,now"`
	Filter           *SourceFilter    `json:"filter,omitempty" doc:"Which items make posts. Default: all but prereleases."`
	Delay            string           `json:"delay,omitempty" doc:"0s to 24h. Default: 0s for drafts, otherwise 10m."`
	MaxPerDay        int              `json:"max_per_day,omitempty" doc:"Default: 20 for drafts, otherwise 5." minimum:"1" maximum:"50"`
	Image            string           `json:"image,omitempty" doc:"Default: item." enum:"item,page,none"`
	ImageRequired    bool             `json:"image_required,omitempty" doc:"Whether an item without a usable picture makes no post."`
	Link             *SourceLink      `json:"link,omitempty" doc:"How links are changed. Default: without tracking parameters."`
	Identity         string           `json:"identity,omitempty" doc:"Default: auto." enum:"auto,guid,link"`
	Labels           []string         `json:"labels,omitempty" doc:"The labels of the posts." maxItems:"10" uniqueItems:"true"`
	Language         string           `json:"language,omitempty" doc:"The language of the posts."`
	BasicAuth        *SourceAuth      `json:"basic_auth,omitempty" doc:"Sent to the host of url only."`
	Header           *SourceHeader    `json:"header,omitempty" doc:"Sent to the host of url only."`
	Take             int              `json:"take,omitempty" doc:"The first fetch makes drafts of so many of the newest items. Default: 0." minimum:"0" maximum:"10"`
	Managed          *Managed         `json:"managed,omitempty" doc:"The file that describes it; null or absent for none."`
}

// EditSource is the body of PATCH /sources/{id}; absent fields stay as they are.
type EditSource struct {
	Name             *string           `json:"name,omitempty" doc:"The new name." minLength:"1" maxLength:"80"`
	URL              *string           `json:"url,omitempty" doc:"The new address; items stay known." maxLength:"2000"`
	Interval         *string           `json:"interval,omitempty" doc:"The new interval."`
	Template         *string           `json:"template,omitempty" doc:"The new template." minLength:"1" maxLength:"4000"`
	SocialAccountIDs *[]string         `json:"social_account_ids,omitempty" doc:"The new accounts." minItems:"1" maxItems:"100" uniqueItems:"true"`
	Overrides        *[]SourceOverride `json:"overrides,omitempty" doc:"The new overrides."`
	QueueID          *string           `json:"queue_id,omitempty" doc:"The new queue; null for that of the accounts." nullable:"true"`
	Mode             *string           `json:"mode,omitempty" doc:"The new mode." enum:"draft,submit,next-slot,now"`
	Filter           *SourceFilter     `json:"filter,omitempty" doc:"The new filter."`
	Delay            *string           `json:"delay,omitempty" doc:"The new delay."`
	MaxPerDay        *int              `json:"max_per_day,omitempty" doc:"The new limit." minimum:"1" maximum:"50"`
	Image            *string           `json:"image,omitempty" doc:"Where the picture comes from." enum:"item,page,none"`
	ImageRequired    *bool             `json:"image_required,omitempty" doc:"Whether an item without a usable picture makes no post."`
	Link             *SourceLink       `json:"link,omitempty" doc:"How links are changed."`
	Identity         *string           `json:"identity,omitempty" doc:"By what an item is known again." enum:"auto,guid,link"`
	Labels           *[]string         `json:"labels,omitempty" doc:"The new labels." maxItems:"10" uniqueItems:"true"`
	Language         *string           `json:"language,omitempty" doc:"The new language; null for none." nullable:"true"`
	BasicAuth        *SourceAuth       `json:"basic_auth,omitempty" doc:"The new name and password; null for none."`
	Header           *SourceHeader     `json:"header,omitempty" doc:"The new header; null for none."`
	Managed          *Managed          `json:"managed,omitempty" doc:"The file that describes it; null takes it out of its collection."`
}

// ReleaseSource is the body of POST /sources/{id}/release.
type ReleaseSource struct {
	Take int `json:"take" doc:"How many of the newest held items make posts, the oldest of them first; the others are skipped. 0 for none." minimum:"0" maximum:"50"`
}

// SourceEnvelope is one source.
type SourceEnvelope struct {
	Source Source       `json:"source" doc:"The source."`
	Fetch  *SourceFetch `json:"fetch,omitempty" doc:"Of a fetch that was asked for: what came of it."`
}

// SourceFetch is the result of a fetch.
type SourceFetch struct {
	Outcome string `json:"outcome" doc:"new, unchanged, held or failed." enum:"new,unchanged,held,failed"`
	Items   int    `json:"items" doc:"The items in the feed."`
	New     int    `json:"new" doc:"Those that were not known."`
	Posts   int    `json:"posts" doc:"The posts that were made."`
}

// SourceList is all sources in order of creation.
type SourceList struct {
	Results []Source `json:"results" doc:"The sources in order of creation."`
	Count   int      `json:"count" doc:"The number of results."`
}

// SourceItem is an item of a source.
type SourceItem struct {
	ID          string             `json:"id" doc:"Starts with itm_."`
	State       schedctl.ItemState `json:"state" doc:"What became of it." enum:"baseline,waiting,held,posted,filtered,old,duplicate,over_limit,failed,skipped,changed"`
	Reason      *string            `json:"reason" doc:"Why; null for nothing."`
	Title       string             `json:"title" doc:"Its title; may be empty."`
	Link        *string            `json:"link" doc:"Its address; null for none."`
	Author      *string            `json:"author" doc:"Its author; null for none."`
	PublishedAt *Time              `json:"published_at" doc:"When it was published, as the feed says; null if it does not."`
	FirstSeenAt *Time              `json:"first_seen_at" doc:"When it was seen first." nullable:"false"`
	DueAt       *Time              `json:"due_at" doc:"When a waiting item is looked at again; null for others."`
	PostID      *string            `json:"post_id" doc:"The post; null for none."`
}

// SourceItemList is one page of the items of a source, newest first.
type SourceItemList struct {
	Results    []SourceItem `json:"results" doc:"The items, newest first."`
	Count      int          `json:"count" doc:"The number of results on this page."`
	NextCursor *string      `json:"next_cursor" doc:"The cursor of the next page; null on the last page."`
}

// SourceItemEnvelope is one item.
type SourceItemEnvelope struct {
	Item SourceItem `json:"item" doc:"The item; post_id has its post."`
}

// SendSourceItem is the body of POST /sources/{id}/items.
type SendSourceItem struct {
	ExternalID string           `json:"external_id" doc:"The sender's id of the item; the same one makes no second post." minLength:"1" maxLength:"500"`
	Title      string           `json:"title" doc:"The title." minLength:"1" maxLength:"1000"`
	Summary    string           `json:"summary,omitempty" doc:"The text; may be HTML." maxLength:"50000"`
	Link       string           `json:"link,omitempty" doc:"The address."`
	Tags       []string         `json:"tags,omitempty" doc:"The categories." maxItems:"50"`
	Author     string           `json:"author,omitempty" doc:"The author." maxLength:"200"`
	Image      *SourceItemImage `json:"image,omitempty" doc:"The picture."`
	Published  *Time            `json:"published,omitempty" doc:"When it was published; null or absent for now." nullable:"true"`
}

// SourceItemImage is the picture of an item.
type SourceItemImage struct {
	URL string `json:"url" doc:"The address of the picture." maxLength:"2000"`
	Alt string `json:"alt,omitempty" doc:"Its alt text." maxLength:"2000"`
}

// SourcePreview is what a source that is not stored would make.
type SourcePreview struct {
	Title    string                  `json:"title" doc:"The title of the feed."`
	Format   string                  `json:"format" doc:"Such as rss 2.0 or atom 1.0."`
	Items    int                     `json:"items" doc:"The number of items."`
	KnownBy  schedctl.SourceIdentity `json:"known_by" doc:"The identity that is used." enum:"guid,link"`
	Warnings []string                `json:"warnings" doc:"What is unusual about the feed."`
	Posts    []SourcePreviewPost     `json:"posts" doc:"The posts of the newest three items."`
}

// SourcePreviewPost is a post that an item would make.
type SourcePreviewPost struct {
	Item  SourceItem          `json:"item" doc:"The item, with the state that it would have."`
	Texts []SourcePreviewText `json:"texts" doc:"The text for each account."`
	Image *string             `json:"image" doc:"The address of the picture; null for none."`
}

// SourcePreviewText is the text of a post for an account.
type SourcePreviewText struct {
	SocialAccountID string `json:"social_account_id" doc:"The account."`
	Platform        string `json:"platform" doc:"Its network."`
	Content         string `json:"content" doc:"The text."`
	Length          int    `json:"length" doc:"Its length, as the network counts."`
	Limit           int    `json:"limit" doc:"The limit of the network; 0 for none."`
	Unit            string `json:"unit" doc:"What is counted: characters, graphemes or bytes."`
	Error           string `json:"error,omitempty" doc:"Why there would be no post; absent for nothing."`
}

// NewSource returns the wire form of a source, with the secrets that it has.
func NewSource(s schedctl.Source, secrets []string, now time.Time) Source {
	out := Source{
		ID: s.ID, Name: s.Name, Kind: s.Kind, URL: optional(s.URL), Interval: FormatGap(s.Interval), Template: s.Template,
		SocialAccountIDs: append([]string{}, s.AccountIDs...), Overrides: []SourceOverride{}, QueueID: optional(s.QueueID), Mode: s.Mode,
		Filter: SourceFilter(s.Filter), Delay: FormatGap(s.Delay), MaxPerDay: s.MaxPerDay, Image: s.Image, ImageRequired: s.ImageRequired,
		Link: SourceLink(s.Link), Identity: s.Identity, Labels: append([]string{}, s.Labels...), Language: optional(s.Language),
		Secrets: append([]string{}, secrets...), APIKeyID: s.KeyID, State: s.State, KnownBy: schedctl.IdentityGUID, Warnings: append([]string{}, s.Warnings...),
		LastFetchAt: NewTime(s.LastFetchAt), LastSuccessAt: NewTime(s.LastSuccessAt), NextFetchAt: NewTime(s.NextFetchAt),
		ItemsToday: s.MadeSince(now.Add(-24 * time.Hour)), Managed: (*Managed)(s.Managed), Version: s.Version, CreatedAt: NewTime(s.CreatedAt), UpdatedAt: NewTime(s.UpdatedAt),
	}
	if s.Identity == schedctl.IdentityLink || s.Identity == schedctl.IdentityAuto && s.ByLink {
		out.KnownBy = schedctl.IdentityLink
	}
	for _, o := range s.Overrides {
		out.Overrides = append(out.Overrides, SourceOverride{SocialAccountID: o.AccountID, Template: o.Template})
	}
	if f := s.Fault; f != nil {
		out.Error = &SourceFault{Code: f.Code, Message: f.Message, Since: NewTime(f.Since)}
	}
	return out
}

// NewSourceItem returns the wire form of an item.
func NewSourceItem(i schedctl.SourceItem) SourceItem {
	return SourceItem{
		ID: i.ID, State: i.State, Reason: optional(i.Reason), Title: i.Title, Link: optional(i.Link), Author: optional(i.Author),
		PublishedAt: NewTime(i.PublishedAt), FirstSeenAt: NewTime(cmp.Or(i.FirstSeenAt, i.SeenAt)), DueAt: NewTime(i.DueAt), PostID: optional(i.PostID),
	}
}

// SourceOverrides returns overrides as package schedctl has them.
func SourceOverrides(list []SourceOverride) (out []schedctl.SourceOverride) {
	for _, o := range list {
		out = append(out, schedctl.SourceOverride{AccountID: o.SocialAccountID, Template: o.Template})
	}
	return out
}
