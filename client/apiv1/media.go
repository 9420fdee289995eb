package apiv1

import (
	"encoding/hex"

	"github.com/schedctl/schedctl"
)

// MediaAsset is a file that the workspace uploaded, in every response.
type MediaAsset struct {
	ID         string               `json:"id" doc:"Starts with med_."`
	FileName   string               `json:"file_name" doc:"The name of the file, without directories."`
	MIMEType   string               `json:"mime_type" doc:"The type, taken from the bytes; the announced type while the asset is pending."`
	SizeBytes  int64                `json:"size_bytes" doc:"The size; the announced size while the asset is pending, 0 for an upload link."`
	SHA256     *string              `json:"sha256" doc:"The SHA-256 of the bytes in hexadecimal; null before they are confirmed."`
	Width      *int                 `json:"width" doc:"The width as displayed, in pixels; null for types without one."`
	Height     *int                 `json:"height" doc:"The height as displayed, in pixels; null for types without one."`
	DurationMS *int64               `json:"duration_ms" doc:"The duration of a video or an animation in milliseconds; null for other types."`
	AltText    *string              `json:"alt_text" doc:"A description for people who cannot see the file; null for none."`
	Status     schedctl.MediaStatus `json:"status" doc:"pending until the bytes are confirmed; failed when the upload was given up."`
	CreatedAt  *Time                `json:"created_at" doc:"When the asset was created." nullable:"false"`
	ExpiresAt  *Time                `json:"expires_at" doc:"When the daemon deletes the asset if no post needs it; null while an unpublished post uses it."`
}

// MediaEnvelope is the response to requests about one asset.
type MediaEnvelope struct {
	MediaAsset MediaAsset `json:"media_asset" doc:"The asset."`
}

// MediaList is one page of assets, newest first. Count is the number of results on
// this page.
type MediaList struct {
	Results    []MediaAsset `json:"results" doc:"The assets, newest first."`
	Count      int          `json:"count" doc:"The number of results on this page."`
	NextCursor *string      `json:"next_cursor" doc:"The cursor of the next page; null on the last page."`
}

// MediaConfig is the response to GET /media/config: what can be uploaded.
type MediaConfig struct {
	AllowedMIMETypes     []string `json:"allowed_mime_types" doc:"The types that assets can have."`
	MaxMediaPerPost      int      `json:"max_media_per_post" doc:"The most files of one post."`
	ImageMaxSizeBytes    int64    `json:"image_max_size_bytes" doc:"The largest picture."`
	GIFMaxSizeBytes      int64    `json:"gif_max_size_bytes" doc:"The largest GIF."`
	VideoMaxSizeBytes    int64    `json:"video_max_size_bytes" doc:"The largest video."`
	DocumentMaxSizeBytes int64    `json:"document_max_size_bytes" doc:"The largest document."`
}

// CreateUpload is the body of POST /media/uploads.
type CreateUpload struct {
	FileName  string `json:"file_name" doc:"The name of the file; directories are removed." minLength:"1" maxLength:"4096"`
	MIMEType  string `json:"mime_type" doc:"One of allowed_mime_types of the configuration, or application/octet-stream; the bytes decide." minLength:"1" maxLength:"128"`
	SizeBytes int64  `json:"size_bytes" doc:"The exact size of the file." minimum:"1"`
}

// UploadEnvelope is the response to POST /media/uploads.
type UploadEnvelope struct {
	MediaAsset MediaAsset `json:"media_asset" doc:"The asset, pending until its bytes are uploaded and confirmed."`
	Upload     Upload     `json:"upload" doc:"How to upload the bytes."`
}

// Upload says how to upload the bytes of an asset: one request with the bytes as its
// body. Keep the URL secret: it allows the upload without an API key.
type Upload struct {
	URL       string            `json:"url" doc:"The URL for the bytes. It works without an API key; keep it secret."`
	Method    string            `json:"method" doc:"Always PUT."`
	Headers   map[string]string `json:"headers" doc:"Headers to send."`
	ExpiresIn int               `json:"expiresIn" doc:"Seconds until the URL expires."`
}

// CreateUploadLink is the body of POST /media/upload-links; it may be absent.
type CreateUploadLink struct {
	FileName *string `json:"file_name,omitempty" doc:"The name of the file; directories are removed. Null or absent: file, with the extension of its type." maxLength:"4096" nullable:"true"`
	AltText  *string `json:"alt_text,omitempty" doc:"A description for people who cannot see the file; null or absent for none." maxLength:"10000" nullable:"true"`
}

// UploadLinkEnvelope is the response to POST /media/upload-links.
type UploadLinkEnvelope struct {
	MediaAsset MediaAsset `json:"media_asset" doc:"The asset, pending until its file was sent."`
	UploadLink UploadLink `json:"upload_link" doc:"Where to send the file."`
}

// UploadLink is an address that takes one file. Keep the URL secret: it works without an API
// key.
type UploadLink struct {
	URL          string `json:"url" doc:"The address. It works without an API key, for one file; keep it secret."`
	Method       string `json:"method" doc:"Always PUT."`
	PageURL      string `json:"page_url" doc:"A page on which a person sends the file in a browser, instead; keep it secret."`
	ExpiresAt    *Time  `json:"expires_at" doc:"When both addresses end." nullable:"false"`
	MaxSizeBytes int64  `json:"max_size_bytes" doc:"The largest file of any type; see getMediaConfig."`
}

// MediaFromURL is the body of POST /media/from-url.
type MediaFromURL struct {
	URL     string  `json:"url" doc:"The public http or https URL of the file." minLength:"1" maxLength:"2048"`
	AltText *string `json:"alt_text,omitempty" doc:"A description for people who cannot see the file." maxLength:"10000" nullable:"true"`
}

// UploadedMedia is the response to an upload.
type UploadedMedia struct {
	MediaAsset MediaAsset `json:"media_asset" doc:"The asset."`
	Existing   bool       `json:"existing" doc:"Whether the asset existed before the request."`
}

// EditedMedia is the response to PATCH /media/{id}.
type EditedMedia struct {
	MediaAsset        MediaAsset `json:"media_asset" doc:"The asset."`
	PostsWithOldText  OldText    `json:"posts_with_old_text" doc:"The drafts and scheduled posts that keep the alt text that the asset had before."`
	SeriesWithOldText OldText    `json:"series_with_old_text" doc:"The series that have not ended and whose next posts get the alt text that the asset had before."`
}

// OldText are posts or series that show the alt text that their asset had before.
type OldText struct {
	IDs   []string `json:"ids" doc:"The ids, 100 at most."`
	Count int      `json:"count" doc:"Their number. Of an asset that more than 1,000 posts and series use, the series and the posts with the latest times are searched."`
}

// EditMedia is the body of PATCH /media/{id}.
type EditMedia struct {
	AltText *string `json:"alt_text" doc:"The new alt text for posts that attach the asset from now on; null removes it. Existing posts keep theirs." maxLength:"10000" nullable:"true"`
}

// PostMedia is one file of a post, with the alt text that is published.
type PostMedia struct {
	ID      string  `json:"id" doc:"The id of an asset of the workspace."`
	AltText *string `json:"alt_text" doc:"The alt text of the file in this post. In a request, null or absent copies that of the asset; later changes of the asset do not change the post." maxLength:"10000" nullable:"true" required:"false"`
}

// NewMediaAsset returns the wire form of an asset. The facts of its bytes are null until
// they are confirmed. An ExpiresAt of zero is null.
func NewMediaAsset(a schedctl.MediaAsset) MediaAsset {
	out := MediaAsset{
		ID: a.ID, FileName: a.FileName, MIMEType: a.MIMEType, SizeBytes: a.Size, AltText: optional(a.AltText), Status: a.Status,
		CreatedAt: NewTime(a.CreatedAt), ExpiresAt: NewTime(a.ExpiresAt),
	}
	if a.Status == schedctl.MediaReady {
		sum := hex.EncodeToString(a.SHA256[:])
		out.SHA256, out.Width, out.Height, out.DurationMS = &sum, optional(a.Width), optional(a.Height), optional(a.Duration.Milliseconds())
	}
	return out
}

// postMedia returns the wire form of the media of a post.
func postMedia(list []schedctl.PostMedia) []PostMedia {
	out := make([]PostMedia, len(list))
	for i, m := range list {
		out[i] = PostMedia{ID: m.AssetID, AltText: optional(m.AltText)}
	}
	return out
}

// postAssets returns the wire form of the assets of a post, those of media first. Those
// that a client has deleted are left out.
func postAssets(p *schedctl.Post, assets []schedctl.MediaAsset) []MediaAsset {
	out := []MediaAsset{}
	needed := p.NeedsMedia()
	if len(assets) == 0 {
		return out
	}
	seen := map[string]bool{}
	for m := range p.AllMedia() {
		id := m.AssetID
		a := findAsset(assets, id)
		if seen[id] || a == nil || a.Status == schedctl.MediaDeleted {
			continue
		}
		seen[id] = true
		shown := NewMediaAsset(*a)
		if needed {
			shown.ExpiresAt = nil
		}
		out = append(out, shown)
	}
	return out
}

func findAsset(assets []schedctl.MediaAsset, id string) *schedctl.MediaAsset {
	for i := range assets {
		if assets[i].ID == id {
			return &assets[i]
		}
	}
	return nil
}
