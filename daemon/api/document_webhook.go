package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl/client/apiv1"
)

// webhookRequests describes the requests that the daemon sends to webhooks, as
// defined by Standard Webhooks (https://www.standardwebhooks.com).
func webhookRequests(registry huma.Registry) map[string]*huma.PathItem {
	sent := func(name, about string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: about, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return map[string]*huma.PathItem{"event": {Post: &huma.Operation{
		OperationID: "receiveEvent", Tags: []string{"Webhooks"},
		Summary: "Receive an event",
		Description: "The request that the daemon sends to the URL of a webhook: the event as JSON, signed. Verify the signature with a library for Standard Webhooks before you read the body, " +
			"respond within 10 seconds, and use webhook-id to detect repeats of an event. Redirects are not followed.",
		Security: []map[string][]string{},
		Parameters: []*huma.Param{
			sent("webhook-id", "The id of the event, the same in every request about it."),
			sent("webhook-timestamp", "When the request was sent, in seconds since 1970. Refuse requests whose time is far from now."),
			sent("webhook-signature", "v1, and the base64 of an HMAC-SHA256 over id, timestamp and body, joined by dots; two of them, with a space between, for a day after the secret was replaced."),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: jsonContent(registry, reflect.TypeFor[apiv1.Event]())},
		Responses: map[string]*huma.Response{
			"2XX":     {Description: "The event was accepted."},
			"default": {Description: "The request is repeated later. After three days without any success the webhook is disabled."},
		},
	}}}
}
