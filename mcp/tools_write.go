package mcp

import (
	"bytes"
	"context"
	"io"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// draftEdit are the arguments of edit_draft.
type draftEdit struct {
	identified
	version
	apiv1.EditPost
	deliberate
}

// change are the arguments of tools that change a post and need nothing else.
type change struct {
	identified
	version
	deliberate
}

// upload are the arguments of upload_media.
type upload struct {
	URL      string `json:"url,omitempty" doc:"The public http or https URL of the file. Use it for files of more than 2 MB." minLength:"1" maxLength:"2048"`
	Data     []byte `json:"data,omitempty" doc:"The bytes of the file in base64. Use it or url."`
	FileName string `json:"file_name,omitempty" doc:"The name of the file, with data." minLength:"1" maxLength:"200"`
	AltText  string `json:"alt_text,omitempty" doc:"A description for people who cannot see the file." minLength:"1" maxLength:"10000"`
	deliberate
}

// deletion is the result of delete_draft.
type deletion struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
	replay
}

// uploaded is the result of upload_media.
type uploaded struct {
	apiv1.UploadedMedia
	replay
}

// submission are the arguments of submit_post.
type submission struct {
	identified
	version
	apiv1.SubmitPost
	deliberate
}

// newNote are the arguments of add_note.
type newNote struct {
	identified
	apiv1.AddNote
	deliberate
}

// noteAdded is the result of add_note.
type noteAdded struct {
	Note apiv1.PostNote `json:"note"`
	replay
}

// newDraft are the arguments of create_draft.
type newDraft struct {
	apiv1.CreatePost
	deliberate
}

func draftTools() []tool {
	return []tool{{
		name: "create_draft", title: "Create a draft", scopes: writesDrafts, effect: drafts,
		about: "Creates a draft. Nothing is published: a person has to schedule or approve it. With submit, it asks a person to approve the draft in the same step.",
		in:    reflect.TypeFor[newDraft](), only: postFieldsAnd("proposed_at", "submit", "request_key"),
		out: reflect.TypeFor[postChanged](),
		call: writing(func(ctx context.Context, c call, in newDraft) (postChanged, error) {
			p, err := c.Client.CreatePost(ctx, in.CreatePost, c.options()...)
			return c.changed(p), err
		}),
	}, {
		name: "submit_post", title: "Ask for the approval of a draft", scopes: writesDrafts, effect: drafts,
		about: "Asks a person to approve a draft. When it is approved, it is scheduled at its proposed time.",
		in:    reflect.TypeFor[submission](), out: reflect.TypeFor[postChanged](),
		call: writing(func(ctx context.Context, c call, in submission) (postChanged, error) {
			p, err := c.Client.SubmitPost(ctx, in.ID, in.SubmitPost, c.onVersion(in.version)...)
			return c.changed(p), err
		}),
	}, {
		name: "add_note", title: "Add a note to a post", scopes: writesDrafts, effect: drafts,
		about: "Adds a note to a post for the people who review it. Notes are never published.",
		in:    reflect.TypeFor[newNote](), out: reflect.TypeFor[noteAdded](),
		call: writing(func(ctx context.Context, c call, in newNote) (noteAdded, error) {
			n, err := c.Client.AddNote(ctx, in.ID, in.Text, c.options()...)
			return noteAdded{n, replay{*c.replayed}}, err
		}),
	}, {
		name: "upload_media", title: "Upload a picture or a video", scopes: writesDrafts, effect: drafts,
		about: "Stores a file that posts can show; pass its id in media. The file comes from a public URL, or as bytes. Paths of files are not possible.",
		in:    reflect.TypeFor[upload](), out: reflect.TypeFor[uploaded](), call: writing(uploadMedia),
	}, {
		name: "edit_draft", title: "Edit a draft", scopes: writesDrafts, effect: rewrites,
		about: "Changes a draft. Arguments that you leave out stay as they are; lists replace the existing ones.",
		in:    reflect.TypeFor[draftEdit](), only: postFieldsAnd("id", "version", "proposed_at", "request_key"),
		out: reflect.TypeFor[postChanged](), call: writing(editDraft),
	}, {
		name: "delete_draft", title: "Delete a draft", scopes: writesDrafts, effect: rewrites,
		about: "Deletes a draft permanently.",
		in:    reflect.TypeFor[change](), out: reflect.TypeFor[deletion](),
		call: writing(func(ctx context.Context, c call, in change) (deletion, error) {
			err := c.Client.DeletePost(ctx, in.ID, c.onVersion(in.version)...)
			return deletion{ID: in.ID, Deleted: true, replay: replay{*c.replayed}}, err
		}),
	}}
}

// changed returns the result of a tool that changed a post.
func (c call) changed(p apiv1.Post) postChanged {
	return postChanged{Post: p, replay: replay{*c.replayed}}
}

// editDraft refuses scheduled posts, which a key with posts:write may edit with other
// tools: this tool claims to publish nothing. A post that starts gets a new version, so
// the check cannot be outrun.
func editDraft(ctx context.Context, c call, in draftEdit) (postChanged, error) {
	p, err := c.Client.Post(ctx, in.ID)
	if err != nil {
		return postChanged{}, err
	}
	if p.Version == in.Version && p.Status != schedctl.Draft {
		return postChanged{}, schedctl.Errorf(schedctl.PostNotDraft, "", "the post is %s and not a draft; edit_draft changes drafts only", p.Status)
	}
	p, err = c.Client.EditPost(ctx, in.ID, in.EditPost, c.onVersion(in.version)...)
	return c.changed(p), err
}

func uploadMedia(ctx context.Context, c call, in upload) (uploaded, error) {
	var done apiv1.UploadedMedia
	var err error
	switch {
	case (in.URL == "") == (in.Data == nil):
		return uploaded{}, schedctl.Errorf(schedctl.ValidationFailed, "url", "give either url or data")
	case in.URL != "":
		from := apiv1.MediaFromURL{URL: in.URL}
		if in.AltText != "" {
			from.AltText = &in.AltText
		}
		done, err = c.Client.FetchMedia(ctx, from, c.options()...)
	case in.FileName == "":
		return uploaded{}, schedctl.Errorf(schedctl.ValidationFailed, "file_name", "give file_name with data")
	default:
		done, err = c.Client.UploadMedia(ctx, client.UploadFile{
			Name: in.FileName, Size: int64(len(in.Data)), AltText: in.AltText,
			Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(in.Data)), nil },
		}, c.options()...)
	}
	return uploaded{done, replay{*c.replayed}}, err
}
