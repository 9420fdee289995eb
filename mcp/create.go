package mcp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// newRequest returns the request for a new post.
func newRequest(values arguments) (apiv1.CreatePost, error) {
	in, err := as[apiv1.CreatePost](merged(values, "content", "social_account_ids", "media", "proposed_at"))
	if err != nil {
		return in, err
	}
	submit, _ := values["submit"].(bool)
	note, _ := values["note"].(string)
	switch {
	case submit && note != "":
		in.Submit = &apiv1.SubmitNew{Note: &note}
	case submit:
		in.Submit = &apiv1.SubmitNew{}
	case note != "":
		return in, invalidArgument("note", "note needs submit: true; add_note adds a note to a draft")
	}
	return in, nil
}

func createDraft(ctx context.Context, c *call) (outcome, error) {
	if items, many := c.values["posts"].([]any); many {
		return createDrafts(ctx, c, items)
	}
	in, err := newRequest(c.values)
	if err != nil {
		return outcome{}, err
	}
	p, recreated, err := c.create(ctx, in, c.key)
	if err != nil {
		return outcome{}, err
	}
	out, err := c.post(ctx, p, false)
	if err == nil && recreated {
		out.data.(map[string]any)["recreated"] = true
		out.text = "Created again, because the post of an earlier such call was deleted: " + out.text
	}
	return out, err
}

// create creates a post, as [createOnce] does.
func (c *call) create(ctx context.Context, in apiv1.CreatePost, key string) (p apiv1.Post, recreated bool, err error) {
	return createOnce(c, creation[apiv1.Post]{
		create: func(options ...client.Option) (apiv1.Post, error) { return c.Client.CreatePost(ctx, in, options...) },
		id:     func(p apiv1.Post) string { return p.ID },
		read:   func(id string) (apiv1.Post, error) { return c.Client.Post(ctx, id) },
		what:   "posts",
	}, key)
}

// createDrafts creates all posts of a list, or none.
func createDrafts(ctx context.Context, c *call, items []any) (outcome, error) {
	for _, name := range []string{"content", "social_account_ids", "media", "proposed_at", "submit", "note", "options"} {
		if _, given := c.values[name]; given {
			return outcome{}, invalidArgument(name, "%s belongs in each of the posts", name)
		}
	}
	requests := make([]apiv1.CreatePost, len(items))
	for i, item := range items {
		values, _ := item.(arguments)
		var err error
		if requests[i], err = newRequest(values); err != nil {
			return outcome{}, inPost(i, err)
		}
	}
	made, fresh, recreated := []apiv1.Post{}, []apiv1.Post{}, 0
	for i := range requests {
		p, again, err := c.create(ctx, requests[i], hashed(c.key, fmt.Sprint(i)))
		if err != nil {
			return outcome{}, c.undo(ctx, fresh, len(made)-len(fresh), i, err)
		}
		made = append(made, p)
		if again {
			recreated++
		}
		if !c.replayed {
			fresh = append(fresh, p)
		}
	}
	return c.created(ctx, made, len(made)-len(fresh), recreated)
}

// created returns the result of a call that created several posts.
func (c *call) created(ctx context.Context, made []apiv1.Post, replayed, recreated int) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	views, text := d.views(made), plural(len(made), "draft")+"."
	for i := range views {
		text += "\n" + views[i].row(maxRow)
	}
	data := map[string]any{"results": views}
	if replayed > 0 {
		data["replayed"] = true
		text = fmt.Sprintf("The call was made before, and %d of these existed: ", replayed) + text
	}
	if recreated > 0 {
		data["recreated"] = true
		text = fmt.Sprintf("Created %d again that had been deleted: ", recreated) + text
	}
	return outcome{text, data}, nil
}

// inPost says which post of a list an error is about.
func inPost(i int, err error) error {
	return reworded(err, fmt.Sprintf("posts[%d]: %s", i, apiError(err).Message))
}

// reworded returns an error with another message.
func reworded(err error, message string) error {
	e := apiError(err)
	out := &schedctl.Error{Code: e.Code, Message: message}
	for _, d := range e.Details {
		if d.Message != e.Message {
			out.Details = append(out.Details, schedctl.FieldError{Field: d.Field, Code: d.Code, Message: d.Message})
		}
	}
	return out
}

func uploadMedia(ctx context.Context, c *call, in upload) (outcome, error) {
	switch {
	case (in.URL == "") == (in.Data == nil):
		return outcome{}, invalidArgument("url", "give either url or data")
	case in.URL == "" && in.FileName == "":
		return outcome{}, invalidArgument("file_name", "give file_name with data")
	}
	done, recreated, err := createOnce(c, creation[apiv1.UploadedMedia]{
		create: func(options ...client.Option) (apiv1.UploadedMedia, error) { return c.upload(ctx, in, options...) },
		id:     func(m apiv1.UploadedMedia) string { return m.MediaAsset.ID },
		read: func(id string) (apiv1.UploadedMedia, error) {
			asset, err := c.Client.MediaAsset(ctx, id)
			return apiv1.UploadedMedia{MediaAsset: asset}, err
		},
		what: "files",
	}, c.key)
	if err != nil {
		return outcome{}, err
	}
	view := viewMedia(&done.MediaAsset)
	data := map[string]any{"media": view}
	if recreated {
		data["recreated"] = true
	}
	if done.Existing {
		data["existing"] = true
	}
	return c.done(outcome{"Stored as " + view.row() + ".", data}), nil
}

// upload stores a file.
func (c *call) upload(ctx context.Context, in upload, options ...client.Option) (apiv1.UploadedMedia, error) {
	if in.URL != "" {
		from := apiv1.MediaFromURL{URL: in.URL}
		if in.AltText != "" {
			from.AltText = &in.AltText
		}
		return c.Client.FetchMedia(ctx, from, options...)
	}
	return c.Client.UploadMedia(ctx, client.UploadFile{
		Name: in.FileName, Size: int64(len(in.Data)), AltText: in.AltText,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(in.Data)), nil },
	}, options...)
}

// mediaView is a file as results have it.
type mediaView struct {
	ID       string `json:"id"`
	FileName string `json:"file_name"`
	Type     string `json:"type"`
	Size     int64  `json:"size_bytes"`
	Pixels   string `json:"pixels,omitempty"` // such as 1200x630
	AltText  string `json:"alt_text,omitempty"`
	Status   string `json:"status,omitempty"` // unless it is ready
}

func viewMedia(a *apiv1.MediaAsset) mediaView {
	v := mediaView{ID: a.ID, FileName: clip(a.FileName, 80), Type: a.MIMEType, Size: a.SizeBytes, AltText: clip(textOf(a.AltText), maxText)}
	if a.Width != nil && a.Height != nil {
		v.Pixels = fmt.Sprintf("%dx%d", *a.Width, *a.Height)
	}
	if a.Status != schedctl.MediaReady {
		v.Status = string(a.Status)
	}
	return v
}

func (v *mediaView) row() string {
	return strings.Join([]string{v.ID, quote(v.FileName, 60), v.Type, cmp.Or(quoted(v.AltText), "without alt text")}, " ")
}
