package webhook

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// printDeliveries prints deliveries as a list.
func printDeliveries(a *cli.App, deliveries ...apiv1.Delivery) error {
	id := func(d apiv1.Delivery) string { return d.ID }
	layout := cli.Table{Header: []string{"ID", "STATUS", "WHEN", "EVENT", "RESPONSE"}, Status: 1, Excerpt: true}
	return cli.PrintList(a, deliveries, id, layout, func(d apiv1.Delivery) []string {
		return []string{d.ID, string(d.Status), a.ShortTime(d.CreatedAt), string(d.EventType), attemptsText(a, d)}
	})
}

// printDelivery prints one delivery.
func printDelivery(a *cli.App, d apiv1.Delivery) error {
	return cli.PrintOne(a, d, deliverySentence(a, d), printDeliveries)
}

func deliverySentence(a *cli.App, d apiv1.Delivery) string {
	text := fmt.Sprintf("%s (%s) is %s", a.Bold(d.ID), d.EventType, a.PaintStatus(string(d.Status)))
	if answer := attemptsText(a, d); answer != "" {
		text += ": " + cli.OneLine(answer)
	}
	return text
}

// attemptsText describes the result of the last attempt, the number of attempts, and
// the time of the next one.
func attemptsText(a *cli.App, d apiv1.Delivery) string {
	var parts []string
	if d.Attempt > 0 {
		parts = append(parts, responseText(d))
	}
	if d.Attempt > 1 {
		parts = append(parts, cli.Plural(d.Attempt, "attempt"))
	}
	if d.Status == schedctl.DeliveryPending && d.Attempt > 0 && d.NextAttemptAt != nil {
		parts = append(parts, "next "+cli.ShortRelative(d.NextAttemptAt.Sub(a.Now())))
	}
	return strings.Join(parts, ", ")
}

// responseText describes the response to the last attempt, or the error if there was
// no response.
func responseText(d apiv1.Delivery) string {
	if d.HTTPStatus == nil {
		return cli.FirstNonEmpty(cli.Deref(d.Error), "no response")
	}
	text := "HTTP " + strconv.Itoa(*d.HTTPStatus)
	if d.DurationMS != nil {
		text += fmt.Sprintf(" in %d ms", *d.DurationMS)
	}
	return text
}
