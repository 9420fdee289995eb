package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	// fetchTimeout is how long a file may take. The client of the daemon waits for it.
	fetchTimeout = 2 * time.Minute

	maxRedirects = 5
)

// fetchClient is the guarded client with a longer timeout, which follows redirects.
// Every connection is checked, so a redirect cannot lead to a private address.
func fetchClient(policy outbound.Policy) *http.Client {
	client := outbound.FetchClient(policy)
	client.Timeout = fetchTimeout
	client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return http.ErrUseLastResponse
		}
		_, err := checkURL(policy.In(r.Context()), r.URL.String())
		return err
	}
	return client
}

// Fetch gets a file from a public URL; [outbound.Policy.In] says which addresses are allowed. The caller must close the file. Its bytes count
// toward the quota of in.
//
// Errors: VALIDATION_FAILED for a URL or an address that is refused; MEDIA_INVALID if
// the server does not send the file; those of [Service.Receive].
func (s *Service) Fetch(ctx context.Context, text string, in *Incoming) (*File, error) {
	u, err := checkURL(s.policy.In(ctx), text)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errFetchURL
	}
	req.Header.Set("Accept", strings.Join(schedctl.MediaTypes(), ", ")+", */*;q=0.1")
	req.Header.Set("User-Agent", "schedctl")
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, fetchError(ctx, err, u.Hostname())
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, schedctl.Errorf(schedctl.MediaInvalid, "url", "%s responded with status %d instead of the file; check that the URL is public", u.Hostname(), resp.StatusCode)
	}
	if largest := s.limits.Largest(); resp.ContentLength > largest {
		return nil, tooLarge("", largest)
	}
	if err := in.Reserve(resp.ContentLength); err != nil {
		return nil, err
	}
	body := &fetchBody{from: resp}
	f, err := s.Receive(ctx, body, in)
	switch {
	case body.failed != nil && ctx.Err() == nil:
		return nil, schedctl.Errorf(schedctl.MediaInvalid, "url", "%s did not send the whole file; try again later", u.Hostname())
	case err != nil:
		return nil, err
	}
	f.Name = fetchedName(resp.Request.URL, f.Facts)
	return f, nil
}

// fetchBody remembers an error of the network, which is not one of the disk.
type fetchBody struct {
	from   *http.Response
	failed error
}

// Read implements [io.Reader].
func (b *fetchBody) Read(p []byte) (int, error) {
	n, err := b.from.Body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed = err
	}
	return n, err
}

// fetchedName returns the last element of a path, with the extension of the type.
func fetchedName(u *url.URL, facts mediafile.Facts) string {
	name := schedctl.CleanFileName(path.Base(u.Path))
	if path.Ext(name) == "" {
		name += mediafile.Extension(facts.MIMEType)
	}
	return name
}

var errFetchURL = schedctl.Errorf(schedctl.ValidationFailed, "url", "the URL is not valid; use the form https://host/path")

// checkURL parses a URL that a file may be fetched from.
func checkURL(policy outbound.Policy, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return nil, errFetchURL
	}
	if u.User != nil {
		return nil, schedctl.Errorf(schedctl.ValidationFailed, "url", "the URL contains a user name or password; remove it")
	}
	u.Fragment, u.RawFragment = "", ""
	if err := policy.CheckHost(u.Hostname()); err != nil {
		return nil, schedctl.Errorf(schedctl.ValidationFailed, "url", "%w", err)
	}
	return u, nil
}

// fetchError is the error of a request without a response.
func fetchError(ctx context.Context, err error, host string) error {
	var refused *schedctl.Error
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("fetch a file: %w", context.Cause(ctx))
	case errors.As(err, &refused): // of a redirect
		return refused
	case errors.Is(err, outbound.ErrPrivateAddress):
		return schedctl.Errorf(schedctl.ValidationFailed, "url", "%s", outbound.NoResponse(err, host))
	}
	return schedctl.Errorf(schedctl.MediaInvalid, "url", "%s", outbound.NoResponse(err, host))
}
