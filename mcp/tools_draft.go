package mcp

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
)

// file is a file of a post.
type file struct {
	ID      string  `json:"id" doc:"Media id." minLength:"1" maxLength:"100"`
	AltText *string `json:"alt_text,omitempty" doc:"Null: as uploaded." maxLength:"10000"`
}

// postContent are the arguments of tools that take a post.
type postContent struct {
	Content          string   `json:"content,omitempty" doc:"The text." maxLength:"5000"`
	SocialAccountIDs []string `json:"social_account_ids,omitempty" doc:"Names or ids." maxItems:"100" maxLength:"200"`
	Media            []file   `json:"media,omitempty" doc:"Files, in order." maxItems:"100"`
}

// sharedContent are the fields of posts and series that tools take inside options.
var sharedContent = slices.Concat([]string{"thread", "first_comment", "poll", "link_preview"}, fields.PresentationNames(), []string{"target_overrides", "labels"})

// rareContent are the fields of a post that tools take inside options.
var rareContent = slices.Concat(sharedContent, []string{"title", "media_asset_ids", "post_style"})

// newPost are the arguments of create_draft, and the items of its posts.
type newPost struct {
	postContent
	ProposedAt string          `json:"proposed_at,omitempty" doc:"When to publish, or next-slot." maxLength:"200"`
	Submit     bool            `json:"submit,omitempty" doc:"Also ask for approval."`
	Note       string          `json:"note,omitempty" doc:"For the reviewers." minLength:"1" maxLength:"5000"`
	Options    json.RawMessage `json:"options,omitempty" doc:"thread, first_comment, poll, link_preview, content_warning, visibility, language, target_overrides, labels, title."`
}

// newDraft are the arguments of create_draft.
type newDraft struct {
	newPost
	Posts []newPost `json:"posts,omitempty" doc:"Instead: up to 20 drafts, all or none." minItems:"1" maxItems:"20"`
	zoned
	deliberate
}

// upload are the arguments of upload_media.
type upload struct {
	URL      string `json:"url,omitempty" doc:"Public URL; for more than 2 MB." minLength:"1" maxLength:"2048"`
	Data     []byte `json:"data,omitempty" doc:"Or the bytes in base64."`
	FileName string `json:"file_name,omitempty" doc:"With data." minLength:"1" maxLength:"200"`
	AltText  string `json:"alt_text,omitempty" doc:"For people who cannot see it." minLength:"1" maxLength:"10000"`
	deliberate
}

// newNote are the arguments of add_note.
type newNote struct {
	identified
	apiv1.AddNote
	zoned
	deliberate
}

func draftTools() []tool {
	return []tool{{
		name: "create_draft", scopes: writesDrafts, effect: drafts,
		about: "Creates drafts. A person has to approve or schedule them before anything is published.",
		in:    reflect.TypeFor[newDraft](), rare: rareFields{reflect.TypeFor[apiv1.CreatePost](), rareContent}, call: createDraft,
	}, {
		name: "upload_media", scopes: writesDrafts, effect: drafts,
		about: "Stores a picture or video for media of posts.",
		in:    reflect.TypeFor[upload](), call: with(uploadMedia),
	}, {
		name: "add_note", scopes: writesDrafts, effect: drafts,
		about: "Adds a note for reviewers to a post; never published.",
		in:    reflect.TypeFor[newNote](), call: with(addNote),
	}}
}

func addNote(ctx context.Context, c *call, in newNote) (outcome, error) {
	n, err := c.Client.AddNote(ctx, in.ID, in.Text, c.writeOptions()...)
	if err != nil {
		return outcome{}, err
	}
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	data := map[string]any{"note": map[string]any{"id": n.ID, "at": d.local(n.CreatedAt.Time), "text": clip(n.Text, maxText)}}
	return c.done(outcome{"Noted on " + in.ID + ".", data}), nil
}

// done marks a result of a repeated call.
func (c *call) done(out outcome) outcome {
	if data, ok := out.data.(map[string]any); ok && c.replayed {
		data["replayed"] = true
		out.text = "Nothing changed, the call was made before: " + out.text
	}
	return out
}
