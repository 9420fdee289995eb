package postgres

import (
	"time"

	"github.com/schedctl/schedctl"
)

// expiryDoc is a [schedctl.Expiry] as a document.
type expiryDoc struct {
	At            time.Time `json:"at,omitzero"`
	Assumed       bool      `json:"assumed,omitempty"`
	RenewAt       time.Time `json:"renew_at,omitzero"`
	Announced     int       `json:"announced,omitempty"`
	RenewingSince time.Time `json:"renewing_since,omitzero"`
}

// expiryField is the end of credentials; null for none.
func expiryField(e *schedctl.Expiry) field {
	return docField[schedctl.Expiry, expiryDoc]{e, func(e schedctl.Expiry) (*expiryDoc, error) {
		if e == (schedctl.Expiry{}) {
			return nil, nil
		}
		return (*expiryDoc)(&e), nil
	}, func(d expiryDoc) (schedctl.Expiry, error) { return schedctl.Expiry(d), nil }}
}
