package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

// forwarded is an event with the response of its receiver.
type forwarded struct {
	apiv1.Event
	Triggered  bool                    `json:"triggered"` // sent by "trigger", about made-up objects
	ForwardTo  string                  `json:"forward_to"`
	Status     schedctl.DeliveryStatus `json:"status"`
	HTTPStatus *int                    `json:"http_status"`
	DurationMS *int64                  `json:"duration_ms"`
	Response   *string                 `json:"response"`
	Error      *string                 `json:"error"`
}

// responseText returns the response, or why there was none.
func (f forwarded) responseText() string {
	return responseText(apiv1.Delivery{HTTPStatus: f.HTTPStatus, DurationMS: f.DurationMS, Error: f.Error})
}

// receiverTimeout is the time limit for a response, the same as in the daemon.
const receiverTimeout = 10 * time.Second

// forwarder sends events to a receiver as the daemon does, but without retries. It is
// for one goroutine.
type forwarder struct {
	to     string
	key    signing.Key
	client *http.Client
	agent  string
	limit  time.Duration
}

// newForwarder returns a forwarder that reaches any address, because the receiver is
// usually on this machine.
func newForwarder(a *cli.App, to string, key signing.Key) *forwarder {
	f := &forwarder{to: to, key: key, client: outbound.Client(outbound.AllowPrivate), agent: "schedctl/" + cli.VersionText(), limit: receiverTimeout}
	if a.Transport != nil {
		f.client.Transport = a.Transport
	}
	if a.Timeout > 0 {
		f.limit = time.Duration(a.Timeout)
	}
	return f
}

// forward sends the event. Its result has no meaning when ctx ends.
func (f *forwarder) forward(ctx context.Context, e apiv1.Event) (forwarded, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	result := forwarded{Event: e, ForwardTo: f.to, Status: schedctl.DeliveryFailed}
	body, err := json.Marshal(e)
	if err != nil {
		return result, fmt.Errorf("write event %s as JSON: %w", e.ID, err)
	}
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {f.agent}}
	began := time.Now()
	signing.SetHeader(header, e.ID, began, body, f.key)
	answer, err := outbound.Post(ctx, f.client, f.to, header, body)
	if err != nil {
		message := err.Error()
		if unanswered, ok := errors.AsType[*publish.Error](err); ok {
			message = unanswered.Message
		}
		result.Error = &message
		return result, nil
	}
	took, text := time.Since(began).Milliseconds(), bodyExcerpt(answer.Body)
	result.HTTPStatus, result.DurationMS, result.Response = &answer.Status, &took, &text
	if answer.Status >= 200 && answer.Status < 300 {
		result.Status = schedctl.DeliveryDelivered
	}
	return result, nil
}

// bodyExcerpt returns as much of a response as the daemon stores.
func bodyExcerpt(body []byte) string {
	text := strings.ToValidUTF8(string(body), "\uFFFD")
	if len(text) <= schedctl.MaxDeliveryResponse {
		return text
	}
	end := schedctl.MaxDeliveryResponse
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// receiverURL reads --forward-to. Without a scheme it is http.
func receiverURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := outbound.AllowPrivate.ParseAddress(text)
	if err != nil {
		return nil, cli.UsageError("--forward-to: %v", err).WithHint("give it as http://localhost:3000/hooks")
	}
	return u, nil
}
