package main

import (
	"errors"

	"github.com/schedctl/schedctl"
)

// collectionFlag is --collection.
const collectionFlag = "collection"

// ruleText returns the message of an error of the domain, without its code.
func ruleText(err error) string {
	var broken *schedctl.Error
	if errors.As(err, &broken) {
		return broken.Message
	}
	return err.Error()
}
