package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// printDeliveries prints deliveries as a list.
func (a *app) printDeliveries(deliveries []apiv1.Delivery) error {
	switch {
	case a.json.set:
		return a.printJSON(append([]apiv1.Delivery{}, deliveries...))
	case a.quiet:
		ids := make([]string, len(deliveries))
		for i := range deliveries {
			ids[i] = deliveries[i].ID
		}
		return a.printIDs(ids...)
	}
	t := table{header: []string{"ID", "STATUS", "WHEN", "EVENT", "ANSWER"}, status: 1, excerpt: true}
	for _, d := range deliveries {
		t.rows = append(t.rows, []string{d.ID, string(d.Status), a.shortTime(d.CreatedAt), string(d.EventType), a.answerText(d)})
	}
	return a.writeList(a.render(t))
}

// printDelivery prints one delivery: as the list does, or on a terminal with a
// sentence.
func (a *app) printDelivery(d apiv1.Delivery) error {
	switch {
	case a.json.set:
		return a.printJSON(d)
	case a.quiet || !a.outTerminal:
		return a.printDeliveries([]apiv1.Delivery{d})
	}
	return a.write([]byte(a.deliverySentence(d) + "\n"))
}

func (a *app) deliverySentence(d apiv1.Delivery) string {
	text := fmt.Sprintf("%s (%s) is %s", a.bold(d.ID), d.EventType, a.status(string(d.Status)))
	if answer := a.answerText(d); answer != "" {
		text += ": " + oneLine(answer)
	}
	return text
}

// answerText is what came of the last attempt, how many there were, and when the
// next one is.
func (a *app) answerText(d apiv1.Delivery) string {
	var parts []string
	if d.Attempt > 0 {
		parts = append(parts, attemptText(d))
	}
	if d.Attempt > 1 {
		parts = append(parts, plural(d.Attempt, "attempt"))
	}
	if d.Status == schedctl.DeliveryPending && d.Attempt > 0 && d.NextAttemptAt != nil {
		parts = append(parts, "next "+shortRelative(d.NextAttemptAt.Sub(a.now())))
	}
	return strings.Join(parts, ", ")
}

// attemptText is the answer to the last attempt, or why there was none.
func attemptText(d apiv1.Delivery) string {
	if d.HTTPStatus == nil {
		return first(deref(d.Error), "no answer")
	}
	text := "HTTP " + strconv.Itoa(*d.HTTPStatus)
	if d.DurationMS != nil {
		text += fmt.Sprintf(" in %d ms", *d.DurationMS)
	}
	return text
}
