package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// connect adds count accounts of each kind, for the authors to post to. The accounts
// have no pacing: posts that wait while a network is to be queried become overdue, and
// pacing would delay each by a second.
func (w *world) connect(ctx context.Context, count int) error {
	for _, k := range kinds {
		for range count {
			if _, err := w.connectOne(ctx, k, map[string]any{"pacing": "0s"}); err != nil {
				return err
			}
		}
	}
	w.useKinds(kinds...)
	return nil
}

// connectOne adds an account and returns its id. The options override those of its kind.
func (w *world) connectOne(ctx context.Context, k kind, options map[string]any) (id string, err error) {
	path := fmt.Sprintf("%s/%s/%d", w.network.url, k, len(w.accounts[k]))
	a := apiv1.AddAccount{Name: fmt.Sprintf("%s %d", k, len(w.accounts[k])), Options: map[string]any{}}
	switch k {
	case readable:
		a.Platform, a.Credentials = "slack", map[string]string{"api_url": path, "bot_token": "xoxb-1", "channel": slackChannel}
	default:
		a.Platform, a.Credentials = "http", map[string]string{"url": path}
		a.Options["idempotent"] = k == idempotent
	}
	maps.Copy(a.Options, options)
	made, err := createReliably[apiv1.AccountEnvelope](ctx, w, "/social-accounts", a, strings.ReplaceAll(a.Name, " ", "-"))
	if err != nil {
		return "", fmt.Errorf("connect %s: %w", a.Name, err)
	}
	id = made.SocialAccount.ID
	w.accounts[k] = append(w.accounts[k], id)
	return id, nil
}

// createReliably creates something, through any number of restarts, and returns the
// response.
func createReliably[T any](ctx context.Context, w *world, path string, body any, key string) (made T, err error) {
	r, err := newWrite(http.MethodPost, path, body, key)
	if err != nil {
		return made, err
	}
	if err := w.send(ctx, r); err != nil {
		return made, err
	}
	if !r.acknowledged() {
		return made, fmt.Errorf("POST %s: %d %s", path, r.Status, r.Response.Body)
	}
	return made, json.Unmarshal(r.Response.Body, &made)
}

// useKinds lets clients post only to accounts of these kinds.
func (w *world) useKinds(kinds ...kind) {
	var open []string
	for _, k := range kinds {
		open = append(open, w.accounts[k]...)
	}
	w.usedAccounts.Store(&open)
}

// oneOrTwo returns one or two entries of a list, in a random order.
func oneOrTwo(random *rand.Rand, list []string) []string {
	list = slices.Clone(list)
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:1+random.IntN(2)]
}

// someAccounts returns one or two of the accounts in use.
func (w *world) someAccounts(random *rand.Rand) []string {
	open := *w.usedAccounts.Load()
	first := random.IntN(len(open))
	out := []string{open[first]}
	if second := random.IntN(len(open)); second != first && random.IntN(2) == 0 {
		out = append(out, open[second])
	}
	return out
}

// listen creates the world's webhook, which receives all events.
func (w *world) listen(ctx context.Context) error {
	w.hasWebhook = true
	hook := apiv1.CreateWebhook{URL: w.network.url + "/webhook", EventTypes: schedctl.EventTypes()}
	_, err := createReliably[json.RawMessage](ctx, w, "/webhooks", hook, "webhook")
	return err
}
