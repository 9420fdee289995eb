package storagetest

import (
	"maps"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

func cloneError(e *schedctl.TargetError) *schedctl.TargetError {
	if e == nil {
		return nil
	}
	c := *e
	return &c
}

func clonePost(p schedctl.Post) schedctl.Post { return p.Clone() }

func cloneAttempt(a schedctl.Attempt) schedctl.Attempt {
	a.Error = cloneError(a.Error)
	return a
}

func cloneEvent(e schedctl.Event) schedctl.Event {
	e.Error = cloneError(e.Error)
	e.Parts = slices.Clone(e.Parts)
	for i := range e.Parts {
		e.Parts[i].Error = cloneError(e.Parts[i].Error)
	}
	if e.Skipped != nil {
		skipped := *e.Skipped
		e.Skipped = &skipped
	}
	return e
}

func cloneAccount(a schedctl.Account) schedctl.Account {
	a.Error = cloneError(a.Error)
	a.Credentials = slices.Clone(a.Credentials)
	a.Blackouts = slices.Clone(a.Blackouts)
	if a.Options != nil {
		a.Options = cloneJSON(map[string]any(a.Options)).(map[string]any)
	}
	return a
}

// cloneJSON copies a decoded JSON document.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = cloneJSON(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = cloneJSON(e)
		}
		return c
	default:
		return v
	}
}

func cloneKey(k schedctl.APIKey) schedctl.APIKey {
	k.Scopes = slices.Clone(k.Scopes)
	k.AccountIDs = slices.Clone(k.AccountIDs)
	return k
}

func cloneWebhook(w schedctl.Webhook) schedctl.Webhook {
	w.EventTypes = slices.Clone(w.EventTypes)
	w.Secret = slices.Clone(w.Secret)
	w.PreviousSecret = slices.Clone(w.PreviousSecret)
	w.Notify = w.Notify.Clone()
	return w
}

func cloneIdempotencyRecord(a storage.IdempotencyRecord) storage.IdempotencyRecord {
	a.Header = maps.Clone(a.Header)
	a.Body = slices.Clone(a.Body)
	return a
}

// cloneAll copies every element.
func cloneAll[T any](list []T, clone func(T) T) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = clone(v)
	}
	return out
}
