package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/signing"
	"github.com/schedctl/schedctl/storage/failpoint"
)

const (
	// callTimeout bounds a call, including the response body.
	callTimeout = 10 * time.Second

	// maxDrain is how much of a long response is read so that its connection can be
	// reused.
	maxDrain = 64 << 10
)

// Reasons why no call was made, for users.
var (
	errUnusableURL      = errors.New("the URL of the webhook cannot be used; set a new one")
	errUnreadableSecret = errors.New("the secret of the webhook cannot be read; rotate it")
)

// attemptResult is the result of an attempt.
type attemptResult struct {
	startedAt time.Time
	duration  time.Duration
	status    int    // of the response; 0 without one
	response  string // the start of its body
	err       string // why there was no response, for users
}

// delivered reports whether the endpoint accepted the event.
func (e *attemptResult) delivered() bool { return e.status >= 200 && e.status < 300 }

// reason returns why the attempt failed, for users.
func (e *attemptResult) reason() string {
	if e.status != 0 {
		return "the endpoint responded with HTTP status " + strconv.Itoa(e.status)
	}
	return e.err
}

// call makes one attempt. The result is meaningless if ctx ended.
func (d *Dispatcher) call(ctx context.Context, j *job) attemptResult {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	began := time.Now()
	end := attemptResult{startedAt: began}
	if req, err := d.request(ctx, j, began); err != nil {
		end.err = err.Error()
	} else if err := failpoint.Hit(failpoint.WebhookCalling); err != nil {
		end.err = err.Error()
	} else {
		d.send(req, &end)
	}
	if err := failpoint.Hit(failpoint.WebhookCalled); err != nil {
		end.status, end.response, end.err = 0, "", err.Error()
	}
	end.duration = time.Since(began)
	return end
}

// request returns the signed request for an event. Error texts are for users.
func (d *Dispatcher) request(ctx context.Context, j *job, now time.Time) (*http.Request, error) {
	body, err := json.Marshal(apiv1.NewEvent(j.event))
	if err != nil {
		return nil, fmt.Errorf("the event cannot be written as JSON: %w", err)
	}
	keys, err := d.keys(&j.hook, now)
	if err != nil {
		return nil, err
	}
	address, err := d.cfg.Sealer.OpenText(j.hook.URL, j.hook.ID)
	if err != nil {
		return nil, errUnusableURL
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, errUnusableURL // the cause contains the URL
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", strings.TrimSuffix("schedctl/"+d.cfg.Version, "/"))
	signing.SetHeader(req.Header, j.event.ID, now, body, keys...)
	return req, nil
}

// keys returns the signing keys at a time: the secret, and the previous one while it is
// valid.
func (d *Dispatcher) keys(hook *schedctl.Webhook, now time.Time) ([]signing.Key, error) {
	sealed := [][]byte{hook.Secret}
	if hook.PreviousSecret != nil && now.Before(hook.PreviousUntil) {
		sealed = append(sealed, hook.PreviousSecret)
	}
	keys := make([]signing.Key, len(sealed))
	for i := range sealed {
		secret, err := d.cfg.Sealer.Open(sealed[i], hook.ID)
		if err != nil {
			return nil, errUnreadableSecret
		}
		if keys[i], err = signing.ParseSecret(string(secret)); err != nil {
			return nil, errUnreadableSecret
		}
	}
	return keys, nil
}

// send makes the call and stores the response in end.
func (d *Dispatcher) send(req *http.Request, end *attemptResult) {
	resp, err := d.cfg.Client.Do(req)
	if err != nil {
		end.err = outbound.NoResponse(err, req.URL.Hostname())
		return
	}
	defer resp.Body.Close()
	end.status = resp.StatusCode
	// An incomplete response still counts.
	head, err := io.ReadAll(io.LimitReader(resp.Body, schedctl.MaxDeliveryResponse+utf8.UTFMax))
	if err == nil {
		io.CopyN(io.Discard, resp.Body, maxDrain)
	}
	end.response = publish.Clip(strings.ToValidUTF8(string(redactURL(head, req.URL)), "\uFFFD"), schedctl.MaxDeliveryResponse)
}

// Values of a query and segments of a path that have at least this length are treated as
// secrets. Path segments are often plain words, so they need to be longer.
const (
	secretValue   = 8
	secretSegment = 16
)

// redactURL returns the start of a body without the parts of the URL that may be secrets.
func redactURL(body []byte, address *url.URL) []byte {
	hide := []string{address.RequestURI(), address.RawQuery}
	for _, values := range address.Query() {
		hide = append(hide, values...)
	}
	hide = slices.DeleteFunc(hide, func(s string) bool { return len(s) < secretValue })
	for _, segment := range slices.Concat(strings.Split(address.Path, "/"), strings.Split(address.EscapedPath(), "/")) {
		if len(segment) >= secretSegment {
			hide = append(hide, segment)
		}
	}
	for _, s := range hide {
		body = bytes.ReplaceAll(body, []byte(s), []byte("[hidden]"))
		for n := len(s) - 1; n > 0; n-- { // a part may start where the body was cut
			body = bytes.TrimSuffix(body, []byte(s[:n]))
		}
	}
	return body
}
