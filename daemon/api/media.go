package api

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
)

// maxBody is the largest request body, in bytes.
const maxBody = 1 << 20

// readBody returns the body, nil if it is empty. A body must be declared as JSON and
// have at most maxBody bytes.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > maxBody {
		return nil, errTooLarge
	}
	body, err := readAll(http.MaxBytesReader(w, r.Body, maxBody), r.ContentLength)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge
	case err != nil:
		return nil, schedctl.Errorf(schedctl.InvalidJSON, "", "the body ended early or could not be read; send it again: %w", err)
	case len(body) > 0 && !jsonType(r.Header.Get("Content-Type")):
		return nil, schedctl.Errorf(schedctl.UnsupportedMediaType, "", "the body must be JSON in UTF-8; send the header Content-Type: application/json")
	}
	return body, nil
}

var errTooLarge = schedctl.Errorf(schedctl.BodyTooLarge, "", "the body is larger than 1 MiB; send less")

// readAtOnce is the number of bytes that are allocated for a body before any of it
// has arrived. A client that announces more and sends nothing occupies no more
// memory than this.
const readAtOnce = 16 << 10

// readAll reads r to the end. length is the announced length, or -1. It allocates
// at most a third more than four times the received bytes.
func readAll(r io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(r)
	}
	body := make([]byte, min(length, readAtOnce))
	for read := 0; ; {
		n, err := io.ReadFull(r, body[read:])
		read += n
		if err != nil || int64(read) == length {
			return body[:read], err
		}
		body = append(make([]byte, 0, min(length, 4*int64(read))), body...)
		body = body[:cap(body)]
	}
}

// jsonType reports whether a Content-Type means JSON in UTF-8: application/json or
// a type with the suffix +json (RFC 6839).
func jsonType(value string) bool {
	if value == "application/json" {
		return true
	}
	media, params, err := mime.ParseMediaType(value)
	if err != nil || (params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8")) {
		return false
	}
	return media == "application/json" || (strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// mediaJSON is the media type of responses, unless a route sets another.
const mediaJSON = "application/json"

// mediaType returns the media type of the route's response.
func (rt *route) mediaType() string { return cmp.Or(rt.media, mediaJSON) }

// checkAccept returns nil when the client accepts the media type (RFC 9110, section
// 12.5.1). The most specific matching range decides.
func checkAccept(h http.Header, offered string) error {
	values := h["Accept"]
	if offered == mediaAny || len(values) == 0 || (len(values) == 1 && (values[0] == "*/*" || values[0] == offered)) {
		return nil
	}
	best, accepted := 0, false
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		if rank := acceptRank(media, offered); rank > best || (rank == best && rank > 0 && !accepted) {
			best, accepted = rank, !zeroQuality(params["q"])
		}
	}
	if !accepted {
		return schedctl.Errorf(schedctl.NotAcceptable, "", "this operation returns %s only; send Accept: %s", cmp.Or(mediaNames[offered], offered), offered)
	}
	return nil
}

// mediaNames are common names of media types.
var mediaNames = map[string]string{mediaJSON: "JSON"}

// acceptRank returns how specifically a media range matches a media type, or 0 if
// it does not match.
func acceptRank(accepted, offered string) int {
	family, _, _ := strings.Cut(offered, "/")
	switch accepted {
	case offered:
		return 3
	case family + "/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}

func zeroQuality(q string) bool {
	v, err := strconv.ParseFloat(q, 64)
	return err == nil && v == 0
}
