package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

var deliveryParams = []string{"status", "limit", "cursor"}

// deliveryQuery selects a page of deliveries.
type deliveryQuery struct {
	webhookID string
	status    schedctl.DeliveryStatus // empty for all
	limit     int
	after     string // the id to continue after; empty starts at the newest
}

// list returns the list that cursors of the query are bound to.
func (q deliveryQuery) list() idList {
	return idList{prefix: schedctl.DeliveryPrefix, of: "deliveries " + q.webhookID + " " + string(q.status)}
}

// listDeliveries handles GET /webhooks/{id}/deliveries.
func (s *Server) listDeliveries(ctx context.Context, c *request) (response, error) {
	q, err := c.deliveryQuery()
	if err != nil {
		return response{}, err
	}
	var page []schedctl.Delivery
	var next string
	err = s.scan(ctx, c, func(r storage.Reader) (err error) {
		if _, err = c.webhook(r); err == nil {
			page, next, err = q.page(r)
		}
		return err
	})
	if err != nil {
		return response{}, err
	}
	list := apiv1.DeliveryList{Results: convert(page, apiv1.NewDelivery), Count: len(page)}
	if next != "" {
		cursor := q.list().cursor(next)
		list.NextCursor = &cursor
	}
	return newResponse(http.StatusOK, list)
}

// deliveryQuery reads the parameters of GET /webhooks/{id}/deliveries.
func (c *request) deliveryQuery() (deliveryQuery, error) {
	q := parseQuery(c.query, deliveryParams, nil)
	p := deliveryQuery{webhookID: c.ID, limit: q.number("limit", 1, maxLimit, defaultLimit)}
	if q.has("status") {
		p.status = oneOf(q, "status", q.text("status"), schedctl.DeliveryStatuses())
	}
	if q.err == nil && q.has("cursor") {
		var err error
		if p.after, err = p.list().position(q.values.Get("cursor")); err != nil {
			q.fail(err)
		}
	}
	return p, q.err
}

// page returns the matching deliveries, and the id of the next page's start, empty
// at the end. It reads at most about [storage.ScanLimit] deliveries.
func (q deliveryQuery) page(r storage.Reader) (page []schedctl.Delivery, next string, err error) {
	after := q.after
	for scanned := 0; ; {
		batch, err := r.Deliveries(q.webhookID, after, maxLimit+1)
		if err != nil {
			return nil, "", err
		}
		for _, d := range batch {
			if q.status != "" && d.Status != q.status {
				after = d.ID
				continue
			}
			if len(page) == q.limit {
				return page, page[q.limit-1].ID, nil
			}
			page, after = append(page, d), d.ID
		}
		scanned += len(batch)
		switch {
		case len(batch) <= maxLimit:
			return page, "", nil
		case scanned >= storage.ScanLimit:
			return page, after, nil
		}
	}
}

// delivery loads the delivery of the path.
func (c *request) delivery(r storage.Reader) (schedctl.Delivery, error) {
	d, err := r.Delivery(c.ID, c.deliveryID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		err = schedctl.Errorf(schedctl.NotFound, "", "this webhook has no delivery with this id")
	}
	return d, err
}
