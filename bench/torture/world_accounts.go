package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
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
	body, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	answer, err := w.createReliably(ctx, "/social-accounts", string(body), strings.ReplaceAll(a.Name, " ", "-"))
	if err != nil {
		return "", fmt.Errorf("connect %s: %w", a.Name, err)
	}
	var made apiv1.AccountEnvelope
	if err := json.Unmarshal(answer, &made); err != nil {
		return "", fmt.Errorf("connect %s: %w", a.Name, err)
	}
	id = made.SocialAccount.ID
	w.accounts[k] = append(w.accounts[k], id)
	return id, nil
}

// createReliably creates something, through any number of restarts, and returns the
// response body.
func (w *world) createReliably(ctx context.Context, path, body, key string) ([]byte, error) {
	r := &write{Request: child.Request{Method: http.MethodPost, Path: path, Body: body, IdempotencyKey: key}}
	if err := w.send(ctx, r); err != nil {
		return nil, err
	}
	if !r.acknowledged() {
		return nil, fmt.Errorf("POST %s: %d %s", path, r.Status, r.Response.Body)
	}
	return r.Response.Body, nil
}

// useKinds lets clients post only to accounts of these kinds.
func (w *world) useKinds(kinds ...kind) {
	var open []string
	for _, k := range kinds {
		open = append(open, w.accounts[k]...)
	}
	w.usedAccounts.Store(&open)
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
	body, err := json.Marshal(apiv1.CreateWebhook{URL: w.network.url + "/webhook", EventTypes: schedctl.EventTypes()})
	if err != nil {
		return err
	}
	w.hasWebhook = true
	_, err = w.createReliably(ctx, "/webhooks", string(body), "webhook")
	return err
}
