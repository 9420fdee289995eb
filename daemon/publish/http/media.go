package httppost

import (
	"encoding/hex"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// MediaRules allows every file that the daemon stores: a receiver has no limits.
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{Mixed: true, Fetched: true, Classes: publish.AnyFile()}
}

// media describes a file that the receiver can fetch.
type media struct {
	ID       string  `json:"id"`
	URL      string  `json:"url"` // signed; it expires
	MIMEType string  `json:"mime_type"`
	Size     int64   `json:"size_bytes"`
	SHA256   string  `json:"sha256"`
	Width    *int    `json:"width"` // in pixels; null if the type has none
	Height   *int    `json:"height"`
	AltText  *string `json:"alt_text"` // null for none
}

// describe returns the files of a request. A file without a URL is an error: the
// receiver could not fetch it.
func describe(files []publish.File) ([]media, error) {
	var list []media
	for i, f := range files {
		if f.URL == "" {
			return nil, publish.MediaError(publish.CodeUnreadable, "the daemon has no URL for file %d of the post; start it with --public-url and retry", i+1)
		}
		list = append(list, media{
			ID: f.AssetID, URL: f.URL, MIMEType: f.MIMEType, Size: f.Size, SHA256: hex.EncodeToString(f.SHA256[:]),
			Width: nonZero(f.Width), Height: nonZero(f.Height), AltText: nonZero(f.AltText),
		})
	}
	return list, nil
}

// nonZero returns a pointer to a value, or nil for the zero value.
func nonZero[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
