package api

import (
	"net/http"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func (s *Server) notificationRoutes() []route {
	one := reflect.TypeFor[apiv1.NotificationEnvelope]()
	return []route{{
		method: http.MethodGet, path: "/notifications", id: "listNotifications", tag: "Notifications",
		summary:     "List notifications",
		description: "All notifications of the workspace, in order of creation.",
		scopes:      readsWebhooks, codes: []schedctl.Code{schedctl.ValidationFailed, schedctl.AccountNotAllowed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.NotificationList](),
		handle: wholeWorkspace(s.listNotifications),
	}, {
		method: http.MethodPost, path: "/notifications", id: "createNotification", tag: "Notifications",
		summary: "Create a notification",
		description: "Sends messages to people about what happens from now on: through a connected account of Discord, Matrix, Slack, Telegram or http, or by e-mail. " +
			"At most one message a minute is sent; it summarizes several events. A message that cannot be sent is tried again with growing pauses, at least once an hour. " +
			"A message can be repeated after a crash. Messages through an account also need the scope posts:write. An account never reports that its own login was refused. " +
			"The notification belongs to the API key that creates it. After the end of this key, its messages have no texts and no addresses. review_link also needs shares:write.",
		scopes: writesWebhooks, codes: []schedctl.Code{schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.CreateNotification](), status: http.StatusCreated, response: one,
		handle: wholeWorkspace(withBody(s.readCreateNotification, s.createNotification)),
	}, {
		method: http.MethodGet, path: "/notifications/{id}", id: "getNotification", tag: "Notifications",
		summary:     "Get a notification",
		description: "Also shows whether messages fail, and why.",
		scopes:      readsWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusOK, response: one,
		handle: wholeWorkspace(s.getNotification),
	}, {
		method: http.MethodPatch, path: "/notifications/{id}", id: "editNotification", tag: "Notifications",
		summary: "Edit a notification",
		description: "Absent fields stay as they are. A change of social_account_id, email, about or review_link makes the notification that of this API key. email replaces all settings of e-mail. A stored password is kept only while host, port, username and tls stay the same. " +
			"A notification that is enabled again reports what happens from then on. A change that changes nothing keeps updated_at.",
		scopes: writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.EditNotification](), status: http.StatusOK, response: one,
		handle: wholeWorkspace(withBody(s.readEditNotification, s.editNotification)),
	}, {
		method: http.MethodDelete, path: "/notifications/{id}", id: "deleteNotification", tag: "Notifications",
		summary:     "Delete a notification",
		description: "Messages that were not sent yet are dropped. A message that is being sent cannot be recalled.",
		scopes:      writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusNoContent,
		handle: wholeWorkspace(withoutBody(s.deleteNotification)),
	}, {
		method: http.MethodPost, path: "/notifications/{id}/test", id: "testNotification", tag: "Notifications",
		summary:     "Send a test message",
		description: "Sends a message at once, also when the notification is disabled, and reports whether it was sent. A message that could not be sent is a response with sent false, not an error.",
		scopes:      writesWebhooks, codes: []schedctl.Code{schedctl.NotFound, schedctl.AccountNotAllowed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.NotificationTest](),
		actsEarly: true, handle: wholeWorkspace(withoutBody(s.testNotification)),
	}}
}
