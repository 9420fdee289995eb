package usecase

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Collection loads the collection whose name is the id of the request. Errors: NOT_FOUND.
func (c *Request) Collection(r storage.Reader) (schedctl.Collection, error) {
	found, _, err := c.findCollection(r)
	if err == nil && found.ID == "" {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no collection with this name; list them with GET %s/collections", prefix)
	}
	return found, err
}

// findCollection returns the collection of the request, with an empty id for none, and the
// number of all collections.
func (c *Request) findCollection(r storage.Reader) (found schedctl.Collection, all int, err error) {
	list, err := r.Collections(c.Key.WorkspaceID)
	if i := slices.IndexFunc(list, func(o schedctl.Collection) bool { return o.Name == c.ID }); i >= 0 {
		found = list[i]
	}
	return found, len(list), err
}

// ApplyCollection checks that the files of a source may be applied to the collection, and
// binds a new collection to the source; see [schedctl.Collection.Apply].
func (c *Request) ApplyCollection(tx storage.Tx, source string, revision schedctl.Revision, older bool) (schedctl.Collection, error) {
	if revision != (schedctl.Revision{}) {
		if err := revision.Check(); err != nil {
			return schedctl.Collection{}, err
		}
	}
	return c.changeCollection(tx, source, func(o *schedctl.Collection) error {
		return o.Apply(source, revision, older, c.actor().Key, c.Now)
	})
}

// AdoptCollection gives the collection to another source.
func (c *Request) AdoptCollection(tx storage.Tx, source string) (schedctl.Collection, error) {
	if err := c.ownsCollections(); err != nil {
		return schedctl.Collection{}, err
	}
	return c.changeCollection(tx, source, func(o *schedctl.Collection) error {
		o.Adopt(source)
		return nil
	})
}

// changeCollection changes the collection of the request, which is created with a source
// if it does not exist.
func (c *Request) changeCollection(tx storage.Tx, source string, change func(*schedctl.Collection) error) (schedctl.Collection, error) {
	if err := schedctl.CheckSource("source", source); err != nil {
		return schedctl.Collection{}, err
	}
	found, all, err := c.findCollection(tx)
	if err != nil {
		return found, err
	}
	if found.ID == "" {
		if err := schedctl.CheckCollection("id", c.ID); err != nil {
			return found, err
		}
		if all >= schedctl.MaxCollections {
			return found, schedctl.Errorf(schedctl.ValidationFailed, "",
				"this workspace has %d collections, which is the limit; remove one with DELETE %s/collections/{id}", all, prefix)
		}
		now := schedctl.Millis(c.Now)
		found = schedctl.Collection{ID: schedctl.NewID(schedctl.CollectionPrefix, now), WorkspaceID: c.Key.WorkspaceID, Name: c.ID, Source: source, CreatedAt: now}
	}
	if err := change(&found); err != nil {
		return found, err
	}
	return found, tx.PutCollection(found)
}

// DeleteCollection forgets the collection of the request. Its posts stay.
func (c *Request) DeleteCollection(tx storage.Tx) error {
	if err := c.ownsCollections(); err != nil {
		return err
	}
	found, err := c.Collection(tx)
	if err != nil {
		return err
	}
	return tx.DeleteCollection(found.WorkspaceID, found.ID)
}

// ownsCollections returns ACCOUNT_NOT_ALLOWED for a key that is limited to accounts: a
// collection can have posts of all accounts.
func (c *Request) ownsCollections() error {
	if c.Limited() {
		return schedctl.Errorf(schedctl.AccountNotAllowed, "", "this API key is limited to accounts, and a collection can have posts of all of them; use another key")
	}
	return nil
}
