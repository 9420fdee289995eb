package publish_test

import (
	"errors"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

func TestCheckFields(t *testing.T) {
	t.Parallel()
	fields := []publish.Field{
		{Name: "url", Required: true, Help: "where to"},
		{Name: "token", Secret: true},
		{Name: "visibility", Option: true},
	}
	type options = schedctl.Options
	type credentials = publish.Credentials
	for _, tt := range []struct {
		name        string
		credentials credentials
		options     options
		field       string // at fault, or empty
	}{
		{"only what is required", credentials{"url": "x"}, nil, ""},
		{"everything", credentials{"url": "x", "token": "y"}, options{"visibility": "public", "pacing": "90s", "duplicate_guard": "24h"}, ""},
		{"nothing", nil, nil, "url"},
		{"an empty required field", credentials{"url": ""}, nil, "url"},
		{"an unknown credential", credentials{"url": "x", "tokn": "y"}, nil, "tokn"},
		{"an unknown option", credentials{"url": "x"}, options{"visible": true}, "visible"},
		{"an option as a credential", credentials{"url": "x", "visibility": "public"}, nil, "visibility"},
		{"a credential as an option", credentials{"url": "x"}, options{"token": "y"}, "token"},
		{"a number as a duration", credentials{"url": "x"}, options{"pacing": 3.0}, "pacing"},
		{"a duration without a unit", credentials{"url": "x"}, options{"pacing": "3"}, "pacing"},
		{"a negative duration", credentials{"url": "x"}, options{"duplicate_guard": "-1h"}, "duplicate_guard"},
	} {
		err := publish.CheckFields(fields, publish.Connection{Credentials: tt.credentials, Options: tt.options})
		if tt.field == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if e := publish.AsError(err); e.Code != tt.field || e.Kind != schedctl.KindContent || e.Message == "" {
			t.Errorf("%s: got %+v, want field %s", tt.name, e, tt.field)
		}
	}
}

func TestAsErrorOfAnythingElseIsUnknown(t *testing.T) {
	t.Parallel()
	cause := errors.New("surprise")
	e := publish.AsError(cause)
	if e.Kind != schedctl.KindUnknown || e.Outcome != schedctl.OutcomeUnknown || !errors.Is(e, cause) {
		t.Errorf("got %+v", e)
	}
	if known := publish.Contentf("url", "wrong"); publish.AsError(known) != known {
		t.Error("an *Error is not kept as it is")
	}
}
