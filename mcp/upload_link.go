package mcp

import (
	"context"
	"reflect"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// linking are the arguments of upload_link.
type linking struct {
	FileName string `json:"file_name,omitempty" doc:"Of the file." minLength:"1" maxLength:"200"`
	AltText  string `json:"alt_text,omitempty" doc:"For people who cannot see it." minLength:"1" maxLength:"10000"`
	zoned
	deliberate
}

// linkView is an upload link as results have it.
type linkView struct {
	MediaID string     `json:"media_id"`
	URL     string     `json:"url"`
	Method  string     `json:"method"`
	PageURL string     `json:"page_url"` // for a browser
	Expires apiv1.Time `json:"expires_at"`
	Local   string     `json:"local"`
	Max     int64      `json:"max_size_bytes"`
}

func linkTools() []tool {
	return []tool{{
		name: "upload_link", scopes: writesDrafts, effect: drafts,
		about: "An address that takes one file without a key, for a person (page_url) or a shell (curl -T FILE URL). Drafts can have its media_id at once.",
		in:    reflect.TypeFor[linking](), call: with(uploadLink),
	}}
}

// uploadLink returns an address for a file. An address of an earlier such call that was used
// or has ended is gone, so that the same call returns a new one.
func uploadLink(ctx context.Context, c *call, in linking) (outcome, error) {
	request := apiv1.CreateUploadLink{}
	if in.FileName != "" {
		request.FileName = &in.FileName
	}
	if in.AltText != "" {
		request.AltText = &in.AltText
	}
	var made apiv1.UploadLinkEnvelope
	link, recreated, err := createOnce(c, creation[apiv1.UploadLinkEnvelope]{
		create: func(options ...client.Option) (_ apiv1.UploadLinkEnvelope, err error) {
			made, err = c.Client.CreateUploadLink(ctx, request, options...)
			return made, err
		},
		id:   func(e apiv1.UploadLinkEnvelope) string { return e.MediaAsset.ID },
		read: func(id string) (apiv1.UploadLinkEnvelope, error) { return made, c.takesFile(ctx, &made) },
		what: "addresses",
	}, c.key)
	if err != nil {
		return outcome{}, err
	}
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	l := link.UploadLink
	v := linkView{MediaID: link.MediaAsset.ID, URL: l.URL, Method: l.Method, PageURL: l.PageURL, Expires: *l.ExpiresAt, Local: d.local(l.ExpiresAt.Time), Max: l.MaxSizeBytes}
	data := map[string]any{"upload_link": v}
	if recreated {
		data["recreated"] = true
	}
	return c.done(outcome{"Send the file of " + v.MediaID + " until " + v.Local + " with: curl -T FILE '" + v.URL + "', or a person in a browser at " + v.PageURL, data}), nil
}

// takesFile returns a NOT_FOUND error if an upload link takes no file any more.
func (c *call) takesFile(ctx context.Context, link *apiv1.UploadLinkEnvelope) error {
	gone := schedctl.Errorf(schedctl.NotFound, "", "the address was used or has ended")
	if !time.Now().Before(link.UploadLink.ExpiresAt.Time) {
		return gone
	}
	asset, err := c.Client.MediaAsset(ctx, link.MediaAsset.ID)
	if err == nil && asset.Status != schedctl.MediaPending {
		return gone
	}
	return err
}
