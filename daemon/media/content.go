package media

import (
	"encoding/hex"
	"mime"
	"net/http"
	"strings"

	"github.com/schedctl/schedctl"
)

// Disposition says whether a browser shows a file or saves it.
type Disposition string

// The dispositions.
const (
	Attachment Disposition = "attachment"
	Inline     Disposition = "inline" // for pictures and videos of a feed
)

// ContentHeader sets the headers of a response with the bytes of an asset. A browser
// never runs the bytes in the origin of the daemon: it does not guess the type, and the
// policy forbids scripts. The ETag is the SHA-256 of the bytes.
func ContentHeader(h http.Header, a *schedctl.MediaAsset, d Disposition) {
	h.Set("Content-Type", a.MIMEType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Content-Disposition", disposition(d, a.FileName))
	h.Set("Etag", `"`+hex.EncodeToString(a.SHA256[:])+`"`)
}

// disposition returns the header Content-Disposition for a file name.
func disposition(d Disposition, name string) string {
	if text := mime.FormatMediaType(string(d), map[string]string{"filename": strings.ToValidUTF8(name, "_")}); text != "" {
		return text
	}
	return string(d)
}
