package post

import (
	"errors"

	"github.com/schedctl/schedctl"
)

// CollectionFlag is --collection.
const CollectionFlag = "collection"

// RuleText returns the message of an error of the domain, without its code.
func RuleText(err error) string {
	if broken, ok := errors.AsType[*schedctl.Error](err); ok {
		return broken.Message
	}
	return err.Error()
}
