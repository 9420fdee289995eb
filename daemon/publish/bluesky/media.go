package bluesky

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

const (
	maxFiles = 10

	// maxImages is how many pictures a post shows as images. More of them are a gallery.
	maxImages = 4

	// maxImageBytes is the limit of the schema of images since 2025. Older servers have
	// oldImageBytes, and say so when the record is written.
	maxImageBytes = 2_000_000
	oldImageBytes = 1_000_000

	maxVideoBytes = 300_000_000
	maxVideoTime  = 3 * time.Minute
	maxAlt        = 2000

	// blobLife is how long a server certainly keeps a blob to which no record refers.
	blobLife = 2 * time.Minute
)

// MediaRules returns Bluesky's limits. An image that moves would be shown as a still, so
// GIFs are not accepted.
//
// Videos of accounts under bsky.social are uploaded early, because the video service
// processes them. Other accounts may be on any server.
func (p *Publisher) MediaRules(account schedctl.Account) publish.MediaRules {
	video := publish.ClassRules{Types: []string{"video/mp4"}, MaxBytes: maxVideoBytes, MaxTime: maxVideoTime}
	if strings.HasSuffix(account.Username, ".bsky.social") {
		video.Ahead = videoLife / 2
	}
	return publish.MediaRules{
		MaxFiles: maxFiles, MaxAlt: maxAlt, MaxVideos: 1, UploadLife: blobLife,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {Types: []string{"image/jpeg", "image/png", "image/webp"}, MaxBytes: maxImageBytes},
			schedctl.MediaVideo: video,
		},
	}
}

// blob refers to uploaded bytes (https://atproto.com/specs/data-model#blob-type).
type blob struct {
	Type     string `json:"$type"`
	Ref      link   `json:"ref"`
	MIMEType string `json:"mimeType"`
	Size     int64  `json:"size"`
}

type link struct {
	CID string `json:"$link"`
}

// Upload sends one file as a blob, and a video to the video service if the account's
// server needs that. The reference of a blob is the hash of its bytes, so a repeated
// upload gives the same one. The id of the upload also holds the type that the server
// recognized: records must repeat it.
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	u, err := parseServer(r.Credentials["service_url"])
	if err != nil {
		return publish.Upload{}, err
	}
	if r.Credentials[fieldAccess] == "" {
		return publish.Upload{}, noSession()
	}
	if f.Class() == schedctl.MediaVideo {
		server, err := p.blueskyServer(ctx, u, r)
		if err != nil {
			return publish.Upload{}, err
		}
		if server != "" {
			return p.uploadVideo(ctx, u, server, r, f)
		}
	}
	a, err := outbound.PostBody(ctx, p.client, u.JoinPath("xrpc", "com.atproto.repo.uploadBlob").String(), outbound.Header(p.userAgent, r.Credentials[fieldAccess]), outbound.FileBody(f))
	if err != nil {
		return publish.Upload{}, publish.NotPublished(err)
	}
	if a.Status < 200 || a.Status > 299 {
		return publish.Upload{}, blobRefusal(a, r, f)
	}
	got, ok := parseBlob(a)
	if !ok || got.Ref.CID != cidOf(f.SHA256) || got.Size != f.Size {
		return publish.Upload{}, &publish.Error{
			Kind: schedctl.KindPlatform, Code: "other_bytes", HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
			Message: "the server did not confirm that it has the bytes of a file; schedctl will upload it again",
		}
	}
	return publish.Upload{ID: got.Ref.CID + " " + got.MIMEType, Ready: true}, nil
}

// mimeType matches the types that servers report for blobs.
var mimeType = pattern.Lazy(`^[a-z]+/[a-z0-9.+-]{1,64}$`)

func parseBlob(a outbound.Response) (blob, bool) {
	var body struct {
		Blob blob `json:"blob"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil {
		return blob{}, false
	}
	return body.Blob, mimeType().MatchString(body.Blob.MIMEType)
}

// blobRefusal returns the error of a refused upload.
func blobRefusal(a outbound.Response, r publish.Request, f publish.File) error {
	e := refusal(a, publish.PurposeFile, time.Now(), secrets(r.Credentials)...)
	e.Outcome = schedctl.OutcomeNotPublished
	return refusedBlob(e, a, f)
}

// refusedBlob changes the error of a response that refuses a file.
func refusedBlob(e *publish.Error, a outbound.Response, f publish.File) *publish.Error {
	switch {
	case a.Status == http.StatusRequestEntityTooLarge, e.Code == nameTooLarge:
		return fileTooLarge(e, f.Size)
	case e.Kind == schedctl.KindContent && a.Status >= 400:
		e.Kind = schedctl.KindMedia
	}
	return e
}

// The names of errors about blobs.
const (
	nameTooLarge = "BlobTooLarge"
	nameNotFound = "BlobNotFound"
)

// fileTooLarge changes an error so that a smaller file is sent.
func fileTooLarge(e *publish.Error, size int64) *publish.Error {
	e.Kind, e.Code, e.Outcome = schedctl.KindMedia, publish.CodeFileTooLarge, schedctl.OutcomeNotPublished
	if size > oldImageBytes && size <= maxImageBytes {
		e.MaxBytes = oldImageBytes
	}
	return e
}

// mediaRefusal changes the error of a refused record if it is about a blob.
func mediaRefusal(e *publish.Error, r publish.Request) *publish.Error {
	if len(r.Files) == 0 || e.Outcome != schedctl.OutcomeNotPublished {
		return e
	}
	largest := int64(0)
	for i := range r.Files {
		largest = max(largest, r.Files[i].Size)
	}
	switch e.Code {
	case nameTooLarge:
		return fileTooLarge(e, largest)
	case nameNotFound:
		e.Kind, e.Code = schedctl.KindPlatform, publish.CodeUploadLost
	case "InvalidMimeType":
		e.Kind = schedctl.KindMedia
	}
	return e
}

// embed is what a record shows besides its text: images, a gallery, a video or a link card.
type embed struct {
	Type   string       `json:"$type"`
	Images []embedImage `json:"images,omitempty"`
	Items  []embedImage `json:"items,omitempty"` // of a gallery

	Video       *blob        `json:"video,omitempty"`
	Alt         string       `json:"alt,omitempty"`
	AspectRatio *aspectRatio `json:"aspectRatio,omitempty"`

	External *external `json:"external,omitempty"`
}

type embedImage struct {
	Type        string       `json:"$type,omitempty"` // in a gallery
	Alt         string       `json:"alt"`             // required by the schema
	Image       blob         `json:"image"`
	AspectRatio *aspectRatio `json:"aspectRatio,omitempty"`
}

type aspectRatio struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// embedOf returns the embed of a request, or nil without files.
func embedOf(r publish.Request) (*embed, error) {
	if len(r.Files) == 0 {
		return nil, nil
	}
	e := embed{Type: "app.bsky.embed.images"}
	for _, f := range r.Files {
		b, ratio, ok := blobOf(f)
		if !ok {
			return nil, publish.UploadLost(0, "a file of the post is not uploaded; schedctl uploads it again")
		}
		if f.Class() == schedctl.MediaVideo {
			e = embed{Type: "app.bsky.embed.video", Video: &b, Alt: f.AltText, AspectRatio: ratio}
			continue
		}
		e.Images = append(e.Images, embedImage{Alt: f.AltText, Image: b, AspectRatio: ratio})
	}
	if e.Video != nil && len(r.Files) > 1 || len(e.Images) > maxFiles {
		return nil, publish.MediaError("media", "Bluesky shows one video or up to %d pictures in a post", maxFiles)
	}
	if len(e.Images) > maxImages {
		e = gallery(e.Images)
	}
	return &e, nil
}

// gallery returns the embed of more pictures than images can have
// (the lexicon app.bsky.embed.gallery). Its schema requires the ratio of the sides: a picture
// whose size is not known is shown as a square.
func gallery(images []embedImage) embed {
	for i := range images {
		images[i].Type = "app.bsky.embed.gallery#image"
		if images[i].AspectRatio == nil {
			images[i].AspectRatio = &aspectRatio{1, 1}
		}
	}
	return embed{Type: "app.bsky.embed.gallery", Items: images}
}

// blobOf returns the blob of an uploaded file. ok is false if the file is not uploaded.
func blobOf(f publish.File) (b blob, ratio *aspectRatio, ok bool) {
	if f.Width > 0 && f.Height > 0 {
		ratio = &aspectRatio{f.Width, f.Height}
	}
	if strings.HasPrefix(f.Upload.ID, videoPrefix) {
		b, ok = processedVideo(f.Upload.ID)
		return b, ratio, ok && f.Class() == schedctl.MediaVideo
	}
	cid, recognized, ok := strings.Cut(f.Upload.ID, " ")
	if !ok || cid != cidOf(f.SHA256) {
		return blob{}, nil, false
	}
	return blob{Type: "blob", Ref: link{cid}, MIMEType: recognized, Size: f.Size}, ratio, true
}

// noSession is the error of a request without an access token.
func noSession() error {
	return &publish.Error{
		Kind: schedctl.KindAuth, Code: publish.CodeSessionExpired, Message: "no session with the server",
		Outcome: schedctl.OutcomeNotPublished,
	}
}
