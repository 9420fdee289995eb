package apiv1test

import (
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// References are the ids that the post and the series refer to.
type References struct {
	// Accounts. Own has overrides of every kind that hold content, and Social has options.
	// Blog and Social have overrides for what a feed and Mastodon refuse.
	Blog, Hook, Own, Social string

	Queue string
	Files [Files]string // media assets: pictures
}

// Files is the number of different files that the post uses. FileNames and AltTexts have
// their names and their alt texts in the post. The picture of the card has no alt text.
const Files = 6

// The indexes of References.Files.
const (
	PostFile = iota
	ThreadFile
	CommentFile
	CardFile
	OwnFile
	OwnThreadFile
)

// FileNames are the names of the files, by their indexes.
var FileNames = [Files]string{"main-f1.png", "part-f2.png", "comment-f3.png", "card-f4.png", "own-f5.png", "own-part-f6.png"}

// AltTexts are the alt texts of the files in the post, by their indexes.
var AltTexts = [Files]string{"alt-main-1k", "alt-part-2k", "alt-comment-3k", "", "alt-own-5k", "alt-own-part-6k"}

// The texts of the post. Each one appears in one field only.
const (
	Content        = "text-main-4f https://example.org/link-9q"
	Title          = "title-7a"
	ThreadContent  = "text-part-2b"
	CommentContent = "text-comment-3c"
	CardURL        = "https://example.org/card-1u"
	CardTitle      = "card-title-8d"
	CardText       = "card-text-6e"
	Warning        = "cw-7f3"
	Language       = "pt-BR"
	Visibility     = "followers"
	ExternalID     = "ext-5g"
	Label          = "label-4h"
	ApprovedBy     = "https://example.org/pull/31"

	OwnContent       = "text-own-9j"
	OwnThreadContent = "text-own-part-8m"
	OwnWarning       = "own-cw-2n"
	OwnLanguage      = "rm-CH"
	OwnVisibility    = "unlisted"
	SocialVisibility = "direct" // an option

	Collection = "collection-6p"
	Path       = "path-3r.md"
	Digest     = "v1:digest-7s"

	PollSeconds    = 2 * 24 * 60 * 60
	OwnPollSeconds = 3 * 24 * 60 * 60
)

// PollOptions and OwnPollOptions are the options of the polls.
var (
	PollOptions    = []string{"poll-a-1t", "poll-b-2t"}
	OwnPollOptions = []string{"own-poll-a-3t", "own-poll-b-4t"}
)

// NotBefore is before the slot of the post.
var NotBefore = time.Date(2000, 1, 5, 7, 30, 0, 0, time.UTC)

// LeftOutOfPost are the fields of [apiv1.CreatePost] that the post does not set, with the
// reasons.
var LeftOutOfPost = map[string]string{
	"media_asset_ids": "the short form of media",
	"proposed_at":     "of drafts; the post has a slot",
	"replaces":        "of a post that replaces a canceled one",
	"submit":          "asks for an approval",
	"approved_by":     "of keys with posts:approve; see ApprovedBy",
}

// Post returns the post: scheduled in a slot of a queue.
func Post(r References) apiv1.CreatePost {
	return apiv1.CreatePost{
		Content: Content, Title: new(Title), PostStyle: new("text_media"),
		Media: media(r, PostFile),
		NewExtras: apiv1.NewExtras{
			Thread:         []apiv1.Part{{Content: ThreadContent, Media: media(r, ThreadFile)}},
			FirstComment:   &apiv1.Part{Content: CommentContent, Media: media(r, CommentFile)},
			Poll:           &apiv1.Poll{Options: PollOptions, ExpiresInSeconds: PollSeconds, Multiple: true, HideTotals: true},
			LinkPreview:    card(r),
			ContentWarning: new(Warning),
			Visibility:     new(Visibility),
			Language:       new(Language),
		},
		SocialAccountIDs: []string{r.Blog, r.Hook, r.Own, r.Social},
		TargetOverrides:  overrides(r),
		PublishAt:        apiv1.NextSlot(), QueueID: &r.Queue, NotBefore: apiv1.NewTime(NotBefore),
		ExternalID: new(ExternalID), Labels: []string{Label},
		Managed:       &apiv1.Managed{Collection: Collection, Path: Path, Digest: Digest},
		AllowBlackout: true, AllowDuplicate: true,
	}
}

func media(r References, file int) []apiv1.PostMedia {
	return []apiv1.PostMedia{{ID: r.Files[file], AltText: new(AltTexts[file])}}
}

func card(r References) *apiv1.LinkPreview {
	return &apiv1.LinkPreview{Card: &apiv1.LinkCard{URL: CardURL, Title: CardTitle, Description: CardText, Image: &r.Files[CardFile]}}
}

func overrides(r References) []apiv1.Override {
	return []apiv1.Override{{
		SocialAccountID: r.Own, Content: new(OwnContent), Media: new(media(r, OwnFile)),
		Thread:         &[]apiv1.Part{{Content: OwnThreadContent, Media: media(r, OwnThreadFile)}},
		Poll:           &apiv1.Poll{Options: OwnPollOptions, ExpiresInSeconds: OwnPollSeconds, Multiple: true, HideTotals: true},
		ContentWarning: new(OwnWarning), Visibility: new(OwnVisibility), Language: new(OwnLanguage),
	}, {
		SocialAccountID: r.Blog, Poll: &apiv1.Poll{Options: []string{}}, Visibility: new("public"),
	}, {
		SocialAccountID: r.Social, Poll: &apiv1.Poll{Options: []string{}}, Options: map[string]any{"visibility": SocialVisibility},
	}}
}
