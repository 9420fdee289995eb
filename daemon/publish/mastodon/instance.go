package mastodon

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// mastodonLimits are Mastodon's default limits. They apply to servers that do not
// report their own.
var mastodonLimits = schedctl.Limits{MaxCharacters: 500, Unit: "graphemes", URLCharacters: 23}

// limits asks the server for its limits. /api/v2/instance is newer and missing on
// some servers. The default limits apply only if neither document exists or states
// limits. Any other failure is an error, so that a temporary fault does not
// overwrite known limits.
func (p *Publisher) limits(ctx context.Context, u *url.URL, c publish.Credentials) (schedctl.Limits, error) {
	i, err := p.instance(ctx, u, c)
	if err != nil {
		return schedctl.Limits{}, err
	}
	if i.limits.MaxCharacters == 0 {
		files := i.limits.Files
		i.limits = mastodonLimits
		i.limits.Files = files
	}
	software, err := p.software(ctx, u, i.version)
	if err != nil {
		return schedctl.Limits{}, err
	}
	if withoutPolls[software] {
		i.limits.Polls = schedctl.PollLimits{None: true}
	}
	return countingLimits(i.limits, software), nil
}

// instance is the content of a server's instance document.
type instance struct {
	limits   schedctl.Limits // MaxCharacters is 0 if the document states none
	hasPolls bool            // the document states limits of polls
	version  string
}

// instance returns the first instance document with limits, otherwise the content of
// the last one.
func (p *Publisher) instance(ctx context.Context, u *url.URL, c publish.Credentials) (found instance, failure error) {
	for _, path := range []string{"api/v2/instance", "api/v1/instance"} {
		a, err := outbound.Get(ctx, p.client, u.JoinPath(path).String(), p.header(c))
		if err != nil {
			return instance{}, err
		}
		i, err := readInstance(a, u.Host)
		if err == nil && i.limits.MaxCharacters > 0 {
			return i, nil
		}
		failure, found.version = cmp.Or(failure, err), cmp.Or(i.version, found.version)
		found.limits.Files = cmp.Or(found.limits.Files, i.limits.Files)
	}
	return found, failure
}

// readInstance returns the content of an instance document, which may be empty.
func readInstance(a outbound.Response, host string) (instance, error) {
	switch a.Status {
	case http.StatusOK:
		if i, ok := parseInstance(a); ok {
			return i, nil
		}
		return instance{}, &publish.Error{
			Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
			Message: host + " gave no readable response when asked for its limits",
		}
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return instance{}, nil
	}
	e := outbound.Refusal(a, publish.PurposeIdentity, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	if e.Kind != schedctl.KindRateLimited {
		// The server has already accepted the token, so the error is not the account's
		// fault.
		e.Kind, e.Code = schedctl.KindPlatform, ""
		e.Message = fmt.Sprintf("%s did not report its limits (HTTP %d)", host, a.Status)
	}
	return instance{}, e
}

// parseInstance reads limits and version from either version of the document. Old
// forks report max_toot_chars instead of a configuration. ok is false if the body is
// not an object.
func parseInstance(a outbound.Response) (instance, bool) {
	var document map[string]any
	if a.Cut || json.Unmarshal(a.Body, &document) != nil || document == nil {
		return instance{}, false
	}
	configuration, _ := document["configuration"].(map[string]any)
	statuses, _ := configuration["statuses"].(map[string]any)
	limits := schedctl.Limits{
		MaxCharacters: positiveInt(statuses["max_characters"], 1e9),
		Unit:          mastodonLimits.Unit,
		URLCharacters: positiveInt(statuses["characters_reserved_per_url"], 1000),
	}
	if limits.MaxCharacters == 0 {
		limits.MaxCharacters = positiveInt(document["max_toot_chars"], 1e9)
		limits.URLCharacters = mastodonLimits.URLCharacters
	}
	limits.Files = fileLimits(configuration)
	polls, hasPolls := pollLimits(document)
	limits.Polls = polls
	return instance{limits, hasPolls, outbound.Label(document["version"])}, true
}

// fileLimits reads the limits of files
// (https://docs.joinmastodon.org/entities/Instance/#media_attachments). That of the frame rate
// of videos is left out: schedctl does not know the rate of a file.
func fileLimits(configuration map[string]any) schedctl.FileLimits {
	statuses, _ := configuration["statuses"].(map[string]any)
	files, _ := configuration["media_attachments"].(map[string]any)
	return schedctl.FileLimits{
		Types:    takenTypes(files["supported_mime_types"]),
		MaxFiles: positiveInt(statuses["max_media_attachments"], 1000), MaxAlt: positiveInt(files["description_limit"], 1e6),
		ImageBytes: int64(positiveInt(files["image_size_limit"], 1e12)), ImagePixels: positiveInt(files["image_matrix_limit"], 1e12),
		VideoBytes: int64(positiveInt(files["video_size_limit"], 1e12)), VideoPixels: positiveInt(files["video_matrix_limit"], 1e12),
	}
}

// takenTypes returns which types of files a server takes, of those that schedctl sends. It is
// empty if the server takes them all, or does not say so in a usable way: every server takes
// pictures in one of the common formats.
func takenTypes(value any) string {
	list, _ := value.([]any)
	var taken []string
	for _, name := range slices.Concat(imageTypes, []string{gifType}, videoTypes) {
		if slices.Contains(list, any(name)) {
			taken = append(taken, name)
		}
	}
	usable := slices.Contains(taken, "image/jpeg") || slices.Contains(taken, "image/png")
	if !usable || len(taken) == len(imageTypes)+1+len(videoTypes) {
		return ""
	}
	return strings.Join(taken, " ")
}

// positiveInt returns a number from 1 to limit, or 0 for any other value.
func positiveInt(value any, limit float64) int {
	n, _ := value.(float64)
	if n < 1 || n > limit {
		return 0
	}
	return int(n)
}
