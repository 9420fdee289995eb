package api

import "github.com/schedctl/schedctl/client/apiv1"

// webhookChange is the body of a request that creates or changes a webhook.
type webhookChange struct {
	apiv1.EditWebhook
	Secret string `json:"secret"` // empty to generate one
}

// readCreateWebhook reads the body of POST /webhooks.
func (s *Server) readCreateWebhook(d *decoder) webhookChange {
	d.policy = s.outbound
	return readAs[apiv1.CreateWebhook, webhookChange](d)
}

// readEditWebhook reads the body of PATCH /webhooks/{id}.
func (s *Server) readEditWebhook(d *decoder) webhookChange {
	d.policy = s.outbound
	return readAs[apiv1.EditWebhook, webhookChange](d)
}
