package wordpress

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// MediaRules allows the types that WordPress takes. Sites have different limits of the
// size; a file that is too large is refused when it is uploaded.
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{
		Mixed: true,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage:    {Types: []string{"image/jpeg", "image/png", "image/webp"}},
			schedctl.MediaGIF:      {Types: []string{"image/gif"}},
			schedctl.MediaVideo:    {Types: []string{"video/mp4", "video/quicktime", "video/webm"}},
			schedctl.MediaDocument: {Types: []string{"application/pdf"}},
		},
	}
}

// Upload adds a file to the media library. The id of the upload is its number there and
// its address.
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	s, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return publish.Upload{}, err
	}
	parts := []outbound.Part{}
	if f.AltText != "" {
		parts = append(parts, outbound.FieldPart("alt_text", f.AltText))
	}
	parts = append(parts, outbound.FieldPart("title", publish.PublicName(f)), outbound.FilePart("file", publish.UploadName(r, f), f))
	a, err := outbound.PostBody(ctx, p.client, s.endpoint(nil, "media"), p.header(s), outbound.Multipart(parts...))
	if err != nil {
		return publish.Upload{}, notPublished(err)
	}
	if a.Status < 200 || a.Status > 299 {
		return publish.Upload{}, uploadRefusal(a, s, r, f)
	}
	var body struct {
		ID  json.Number `json:"id"`
		URL any         `json:"source_url"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(a.Body, &body)
	id, err := body.ID.Int64()
	link := linkOf(body.URL)
	if a.Cut || err != nil || id <= 0 || link == "" || strings.ContainsAny(link, " \"'<>") {
		return publish.Upload{}, notPublished(outbound.Unconfirmed(a, "the site did not confirm the upload of a file; schedctl will retry"))
	}
	return publish.Upload{ID: strconv.FormatInt(id, 10) + " " + link, Ready: true}, nil
}

// Processed is never needed: WordPress processes uploads at once.
func (p *Publisher) Processed(_ context.Context, _ publish.Request, u publish.Upload) (publish.Upload, error) {
	u.Ready = true
	return u, nil
}

// uploadRefusal returns the error of a refused upload.
func uploadRefusal(a outbound.Response, s site, r publish.Request, f publish.File) error {
	e := refusal(a, publish.PurposeFile, time.Now(), s.hidden(r.Credentials, r.Content, f.AltText)...)
	e.Outcome = schedctl.OutcomeNotPublished
	switch code := codeOf(a); {
	case a.Status == http.StatusRequestEntityTooLarge, code == "rest_upload_file_too_big", code == "rest_upload_no_data":
		return publish.FileTooLarge(a.Status, 0)
	case e.Code == codeMissingScope:
		// Not of kind auth, which would hold the posts without media too.
		e.Kind, e.Message = schedctl.KindMedia, "the user may not upload files: give the user the role Author or Editor in WordPress, then retry"
	case strings.HasPrefix(code, "rest_upload_"):
		e.Kind, e.Code = schedctl.KindMedia, code
		e.Message = "the site refused a file of the post; check which types and sizes it takes"
		return outbound.WithErrorText(e, outbound.ErrorText(a, s.hidden(r.Credentials, f.AltText)...))
	case e.Kind == schedctl.KindContent && a.Status >= 400:
		e.Kind = schedctl.KindMedia
		e.Message = strings.Replace(e.Message, "refused the post", "refused a file of the post", 1)
	}
	return e
}

// uploadURL returns the address of an upload.
func uploadURL(u publish.Upload) string {
	_, link, _ := strings.Cut(u.ID, " ")
	return link
}

// mediaBlocks returns files as blocks of WordPress's editor.
func mediaBlocks(files []publish.File) (string, error) {
	var b strings.Builder
	for _, f := range files {
		id, link, found := strings.Cut(f.Upload.ID, " ")
		if _, err := strconv.Atoi(id); err != nil || !found {
			return "", publish.UploadLost(0, "a file of the post is not uploaded; schedctl uploads it again")
		}
		link, alt := escape(link), escape(oneLine(f.AltText))
		switch f.Class() {
		case schedctl.MediaVideo:
			fmt.Fprintf(&b, "<!-- wp:video {\"id\":%s} -->\n<figure class=\"wp-block-video\"><video controls src=\"%s\"></video>%s</figure>\n<!-- /wp:video -->\n\n", id, link, caption(alt))
		case schedctl.MediaDocument:
			fmt.Fprintf(&b, "<!-- wp:file {\"id\":%s} -->\n<div class=\"wp-block-file\"><a href=\"%s\">%s</a></div>\n<!-- /wp:file -->\n\n", id, link, escape(publish.PublicName(f)))
		default:
			fmt.Fprintf(&b, "<!-- wp:image {\"id\":%s} -->\n<figure class=\"wp-block-image\"><img src=\"%s\" alt=\"%s\" class=\"wp-image-%[1]s\"/></figure>\n<!-- /wp:image -->\n\n", id, link, alt)
		}
	}
	return b.String(), nil
}

// caption returns the alt text of a video, which has no attribute for it, as a caption.
func caption(alt string) string {
	if alt == "" {
		return ""
	}
	return `<figcaption class="wp-element-caption">` + alt + "</figcaption>"
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
