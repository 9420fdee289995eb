package nostr

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	maxFiles = 20
	maxAlt   = 2000 // characters

	// authLife is how long the authorization of an upload is valid.
	authLife = 30 * time.Minute
)

// MediaRules allows files if the account has a Blossom server. Servers have different
// limits of the size; a file that is too large is refused when it is uploaded.
func (p *Publisher) MediaRules(a schedctl.Account) publish.MediaRules {
	rules := publish.MediaRules{
		MaxFiles: maxFiles, MaxAlt: maxAlt, Mixed: true,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {}, schedctl.MediaGIF: {}, schedctl.MediaVideo: {}, schedctl.MediaDocument: {},
		},
	}
	if a.Options.String(optionMedia) == "" {
		rules.Refused = "relays store no files: set the option media_server of the account to a Blossom server, such as https://blossom.example.org, or remove the files"
	}
	return rules
}

// mediaServer returns the Blossom server, or nil if the account has none.
func (p *Publisher) mediaServer(o schedctl.Options) (*url.URL, *publish.Error) {
	value, given := o[optionMedia]
	text, isText := value.(string)
	if !given || isText && text == "" {
		return nil, nil
	}
	u, err := p.policy.ParseAddress(text)
	if err != nil {
		return nil, publish.Contentf(optionMedia, "media_server: %s", err)
	}
	return u, nil
}

// Upload stores a file on the Blossom server
// (https://github.com/hzrd149/blossom/blob/master/buds/02.md). The id of the upload is
// the file's address, which consists of its hash.
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	s, err := parseSecret(r.Credentials[fieldSecret])
	if err != nil {
		return publish.Upload{}, err
	}
	server, problem := p.mediaServer(r.Account.Options)
	if problem != nil {
		return publish.Upload{}, problem
	}
	if server == nil {
		return publish.Upload{}, publish.MediaError("unsupported", "%s", p.MediaRules(r.Account).Refused)
	}
	hash := hex.EncodeToString(f.SHA256[:])
	header := outbound.Header(p.userAgent, "")
	header.Set("Authorization", "Nostr "+uploadProof(s, hash, time.Now()))
	header.Set("X-SHA-256", hash)
	a, err := outbound.PutBody(ctx, p.client, server.JoinPath("upload").String(), header, outbound.FileBody(f))
	if err != nil {
		return publish.Upload{}, notPublished(err)
	}
	if a.Status < 200 || a.Status > 299 {
		return publish.Upload{}, uploadRefusal(a, r, f)
	}
	link, ok := parseBlob(a, hash, f.MIMEType)
	if !ok {
		return publish.Upload{}, notPublished(outbound.Unconfirmed(a, "the media server did not confirm the upload of a file; schedctl will retry"))
	}
	return publish.Upload{ID: link, Ready: true}, nil
}

// uploadProof returns the authorization of an upload of the file with this hash.
func uploadProof(s signer, hash string, now time.Time) string {
	expires := strconv.FormatInt(now.Add(authLife).Unix(), 10)
	tags := [][]string{{"t", "upload"}, {"x", hash}, {"expiration", expires}}
	return base64.StdEncoding.EncodeToString(outbound.EncodeJSON(newEvent(s, kindBlob, now, tags, "Upload a file")))
}

// parseBlob returns the address of an upload in the server's response. Apps recognize
// the type of a file by the extension of its address, which servers accept in any case.
func parseBlob(a outbound.Response, hash, mimeType string) (string, bool) {
	var body struct {
		URL    any    `json:"url"`
		SHA256 string `json:"sha256"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || !strings.EqualFold(body.SHA256, hash) {
		return "", false
	}
	text, _ := json.Marshal(map[string]any{"url": body.URL})
	link := outbound.Receipt(outbound.Response{Body: text}).URL
	u, err := url.Parse(link)
	if link == "" || err != nil || strings.Contains(link, " ") {
		return "", false
	}
	if u.RawQuery == "" && u.Fragment == "" && path.Base(u.Path) == hash {
		link += publish.Extension(mimeType)
	}
	return link, true
}

// Processed is never needed: a server stores files at once.
func (p *Publisher) Processed(_ context.Context, _ publish.Request, u publish.Upload) (publish.Upload, error) {
	u.Ready = true
	return u, nil
}

// uploadRefusal returns the error of a refused upload. Blossom servers give the reason in
// a header, mostly without a body; a 403 without both is a firewall's.
func uploadRefusal(a outbound.Response, r publish.Request, f publish.File) error {
	if reason := a.Header.Get("X-Reason"); reason != "" {
		a.Body = outbound.EncodeJSON(map[string]string{"message": reason})
	}
	e := outbound.FileRefusal(a, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case a.Status == http.StatusRequestEntityTooLarge:
		return publish.FileTooLarge(a.Status, 0)
	case e.Code == publish.CodeUploadRefused, e.Kind == schedctl.KindContent && a.Status >= 400, a.Status == http.StatusPaymentRequired:
		// Not of kind auth, which would hold the posts without media too.
		e.Kind, e.Message = schedctl.KindMedia, "the media server refused a file of the post; check whether it lets this account upload such files"
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, r.Credentials[fieldSecret], f.AltText))
}

// uploadLost is the error of a file that was not uploaded.
func uploadLost() *publish.Error {
	return publish.UploadLost(0, "a file of the post is not uploaded; schedctl uploads it again")
}
