package apiv1

import "github.com/schedctl/schedctl"

// Extras are the fields of the content of a post or a series besides its text and files,
// in responses.
type Extras struct {
	Thread         []Part      `json:"thread" doc:"The parts of a thread after the first one, which is content."`
	FirstComment   *Part       `json:"first_comment" doc:"A reply to the last part, published after it; null for none."`
	Poll           *Poll       `json:"poll" doc:"The poll of the first part; null for none."`
	LinkPreview    LinkPreview `json:"link_preview" doc:"The card for a link of the first part: auto, none, or a card."`
	ContentWarning *string     `json:"content_warning" doc:"The text that readers see before they open the post; null for none."`
	Visibility     *string     `json:"visibility" doc:"Who sees the post: public, unlisted, followers or direct; null for the account's options." enum:"public,unlisted,followers,direct"`
	Language       *string     `json:"language" doc:"The BCP 47 tag of the language, such as en or pt-BR; null for the account's options."`
}

// NewExtras are the extras of a new post or series. Nil fields are left out.
type NewExtras struct {
	Thread         []Part       `json:"thread,omitempty" doc:"The parts of a thread after the first one, at most 24. Each replies to the part before it." maxItems:"24" nullable:"true"`
	FirstComment   *Part        `json:"first_comment,omitempty" doc:"A reply to the last part; null or absent for none. If it fails, the post is published nevertheless."`
	Poll           *Poll        `json:"poll,omitempty" doc:"A poll in the first part; null or absent for none."`
	LinkPreview    *LinkPreview `json:"link_preview,omitempty" doc:"The card for a link of the first part: auto (the default), none, or a card."`
	ContentWarning *string      `json:"content_warning,omitempty" doc:"A text that readers see before they open the post; null or absent for none." maxLength:"500" nullable:"true"`
	Visibility     *string      `json:"visibility,omitempty" doc:"Who sees the post; null or absent for the account's options." enum:"public,unlisted,followers,direct" nullable:"true"`
	Language       *string      `json:"language,omitempty" doc:"The BCP 47 tag of the language, such as en or pt-BR; null or absent for the account's options." maxLength:"71" nullable:"true"`
}

// ExtrasChange are the extras that a change of a post or a series sets. Nil fields stay as
// they are.
type ExtrasChange struct {
	Thread         *[]Part      `json:"thread,omitempty" doc:"The new parts of the thread after the first one, which replace the existing ones; an empty list removes all." maxItems:"24" nullable:"true"`
	FirstComment   *Part        `json:"first_comment,omitempty" doc:"The new first comment; null, or one without content and media, removes it."`
	Poll           *Poll        `json:"poll,omitempty" doc:"The new poll; null, or one without options, removes it."`
	LinkPreview    *LinkPreview `json:"link_preview,omitempty" doc:"The new link preview: auto, none, or a card; null for auto."`
	ContentWarning *string      `json:"content_warning,omitempty" doc:"The new content warning; null or an empty text removes it." maxLength:"500" nullable:"true"`
	Visibility     *string      `json:"visibility,omitempty" doc:"The new visibility; null or an empty text for the account's options." enum:"public,unlisted,followers,direct," nullable:"true"`
	Language       *string      `json:"language,omitempty" doc:"The new language; null or an empty text for the account's options." maxLength:"71" nullable:"true"`
}

// newExtras returns the wire form of the extras of a content.
func newExtras(c *schedctl.Content) Extras {
	return Extras{
		Thread: newParts(c.Thread), FirstComment: newPart(c.FirstComment), Poll: newPoll(c.Poll),
		LinkPreview: newLinkPreview(c.LinkPreview), ContentWarning: optional(c.ContentWarning),
		Visibility: optional(c.Visibility), Language: optional(c.Language),
	}
}
