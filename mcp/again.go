package mcp

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
)

// maxDeleted is how many times the object of one call can be deleted and created again.
const maxDeleted = 20

// creation creates an object.
type creation[T any] struct {
	create func(options ...client.Option) (T, error)
	id     func(T) string
	read   func(id string) (T, error) // NOT_FOUND if the object is gone
	what   string                     // such as "posts"
}

// createOnce creates an object with an Idempotency-Key. If the call was made before, it
// returns the object as it is now, or as it was created if the key cannot read it. If the
// object is gone, it creates another one.
func createOnce[T any](c *call, of creation[T], key string) (object T, recreated bool, err error) {
	for range maxDeleted {
		c.replayed = false
		object, err = of.create(client.IdempotencyKey(key), client.Replayed(&c.replayed))
		id := client.CreatedBefore(err) // with other words for the same time
		switch {
		case id != "":
			c.replayed = true
		case err != nil || !c.replayed:
			return object, recreated, err
		default:
			id = of.id(object)
		}
		current, err := of.read(id)
		switch schedctl.CodeOf(err) {
		case schedctl.NotFound:
			key, recreated = hashed(key, id), true
			continue
		case schedctl.InsufficientScope:
			return object, false, nil
		}
		return current, false, err
	}
	return object, false, invalidArgument("request_key", "the %s of %d such calls are gone; pass a new request_key", of.what, maxDeleted)
}
