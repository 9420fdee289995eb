package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/client"
)

// keyOf returns an idempotency key that is the same for the same parts in the
// same order, on every machine and in every version.
func keyOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p) // no two lists of parts look the same
	}
	return "cli-" + hex.EncodeToString(h.Sum(nil)[:20])
}

// retryAfter returns when the daemon said to return, or 0.
func retryAfter(err error) time.Duration {
	var refused *client.Error
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}
