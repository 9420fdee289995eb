package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

var (
	readsWebhooks  = []schedctl.Scope{schedctl.ScopeWebhooksRead}
	writesWebhooks = []schedctl.Scope{schedctl.ScopeWebhooksWrite}
)

func (s *Server) webhookRoutes() []route {
	one := reflect.TypeFor[apiv1.WebhookEnvelope]()
	return []route{{
		method: http.MethodGet, path: "/webhooks", id: "listWebhooks", tag: "Webhooks",
		summary:     "List webhooks",
		description: "All of the workspace, in order of creation.",
		scopes:      readsWebhooks, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.AccountNotAllowed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.WebhookList](),
		handle: wholeWorkspace(s.listWebhooks),
	}, {
		method: http.MethodPost, path: "/webhooks", id: "createWebhook", tag: "Webhooks",
		summary: "Create a webhook",
		description: "The URL receives future events of the given types. Each request is signed as defined by Standard Webhooks, with the secret in this response, which is shown only once. " +
			"Any 2xx within 10 seconds is a success; otherwise the request is repeated after 10 s, 30 s, 2 min, 5 min, 15 min, 1 h, 4 h and 12 h, and then fails.",
		scopes: writesWebhooks, codes: []schedctl.Code{schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.CreateWebhook](), status: http.StatusCreated, response: reflect.TypeFor[apiv1.WebhookSecret](),
		handle: wholeWorkspace(withBody(s.readCreateWebhook, s.createWebhook)),
	}, {
		method: http.MethodGet, path: "/webhooks/{id}", id: "getWebhook", tag: "Webhooks",
		summary:     "Get a webhook",
		description: "The response shows whether the webhook is failing, and why the daemon disabled it.",
		scopes:      readsWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusOK, response: one,
		handle: wholeWorkspace(s.getWebhook),
	}, {
		method: http.MethodPatch, path: "/webhooks/{id}", id: "editWebhook", tag: "Webhooks",
		summary:     "Edit a webhook",
		description: "Absent fields stay unchanged. A webhook that is enabled again receives future events, not those from the time it was disabled. Deliveries that were pending when it was disabled continue. A request that changes nothing keeps updated_at.",
		scopes:      writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.EditWebhook](), status: http.StatusOK, response: one,
		handle: wholeWorkspace(withBody(s.readEditWebhook, s.editWebhook)),
	}, {
		method: http.MethodDelete, path: "/webhooks/{id}", id: "deleteWebhook", tag: "Webhooks",
		summary:     "Delete a webhook",
		description: "Its pending deliveries are dropped. A request that is being sent cannot be stopped.",
		scopes:      writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusNoContent,
		handle: wholeWorkspace(withoutBody(s.deleteWebhook)),
	}, {
		method: http.MethodPost, path: "/webhooks/{id}/test", id: "testWebhook", tag: "Webhooks",
		summary:     "Send a test event",
		description: "Queues an event of type webhook.test for this webhook only, even if it is disabled. Read its deliveries to see the result.",
		scopes:      writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusAccepted, response: reflect.TypeFor[apiv1.WebhookTest](),
		handle: wholeWorkspace(withoutBody(s.testWebhook)),
	}, {
		method: http.MethodPost, path: "/webhooks/{id}/rotate-secret", id: "rotateWebhookSecret", tag: "Webhooks",
		summary:     "Replace the secret of a webhook",
		description: "The new secret is shown once. For 24 hours requests carry two signatures, one with each secret. A second rotation within that time ends the oldest secret at once.",
		scopes:      writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.WebhookSecret](),
		handle: wholeWorkspace(withoutBody(s.rotateSecret)),
	}}
}

func (s *Server) deliveryRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/webhooks/{id}/deliveries", id: "listWebhookDeliveries", tag: "Webhooks",
		summary:     "List the deliveries of a webhook",
		description: "One page of the deliveries of the last 30 days, newest first. next_cursor is null at the end; with a filter a page can be short, even empty, and still have a next one.",
		scopes:      readsWebhooks, params: deliveryListParams(),
		codes:  []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed, schedctl.ValidationFailed, schedctl.InvalidCursor},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.DeliveryList](),
		handle: wholeWorkspace(s.listDeliveries),
	}, {
		method: http.MethodPost, path: "/webhooks/{id}/deliveries/{delivery_id}/replay", id: "replayWebhookDelivery", tag: "Webhooks",
		summary:     "Send a delivery again",
		description: "Queues the delivery for an immediate request, regardless of its status, with all its retries. The id of the event stays the same, so that the receiver can detect the repeat. A disabled webhook receives it when it is enabled again.",
		scopes:      writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusAccepted, response: reflect.TypeFor[apiv1.DeliveryEnvelope](),
		handle: wholeWorkspace(withoutBody(s.replayDelivery)),
	}, {
		method: http.MethodPost, path: "/webhooks/{id}/replay", id: "replayWebhook", tag: "Webhooks",
		summary:     "Queue all failed deliveries again",
		description: "Queues all failed deliveries created since the given time; pending ones are retried anyway. Events from the time the webhook was disabled have no deliveries and are not sent.",
		scopes:      writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.ReplayWebhook](), status: http.StatusAccepted, response: reflect.TypeFor[apiv1.WebhookReplay](),
		handle: wholeWorkspace(withBody(read[apiv1.ReplayWebhook], s.replayWebhook)),
	}}
}

// deliveryListParams describes the query of GET /webhooks/{id}/deliveries.
func deliveryListParams() []*huma.Param {
	return []*huma.Param{
		queryParam("status", "only deliveries with this status", &huma.Schema{Type: huma.TypeString, Enum: values(schedctl.DeliveryStatuses())}),
		queryParam("limit", "deliveries on a page", &huma.Schema{
			Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(maxLimit)), Default: defaultLimit,
		}),
		queryParam("cursor", "next_cursor of the previous page, of the same webhook and with the same filter", &huma.Schema{Type: huma.TypeString}),
	}
}

func (s *Server) eventRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/events", id: "streamEvents", tag: "Events",
		summary: "Stream events",
		description: "A stream of server-sent events that does not end: each has the id of the event as its id, its type as its event, and the schema Event as its data, on one line. " +
			"It starts with future events, or after the event in Last-Event-ID; its first lines contain the id to resume after until the first event arrives. A comment is sent every 15 seconds. " +
			"A client that reads nothing for 10 seconds is disconnected, and every stream ends when the daemon stops or the key is revoked: resume with Last-Event-ID, and nothing of the last 30 days is missed. " +
			"A key that is limited to accounts receives only events of posts and accounts that it can see. " +
			"A key can have 1,000 streams open; one more is refused with 429.",
		scopes: readsPosts, params: []*huma.Param{{
			Name: lastEventIDHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The id of the last received event; the stream continues after it.",
		}},
		codes: []schedctl.Code{schedctl.ValidationFailed}, media: mediaEvents,
		status: http.StatusOK, response: reflect.TypeFor[apiv1.Event](),
		handle: s.streamEvents,
	}}
}
