package publish_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// only returns the check of a field with one valid value.
func only(valid string) func(string) error {
	return func(value string) error {
		if value != valid {
			return publish.Contentf("other", "the value must be %s", valid)
		}
		return nil
	}
}

func TestCheckFields(t *testing.T) {
	t.Parallel()
	fields := []publish.Field{
		{Name: "url", Required: true, Help: "where to"},
		{Name: "token", Secret: true},
		{Name: "visibility", Option: true, Check: only("public")},
		{Name: "key", Check: only("right")},
		{Name: "loud", Option: true, Check: only("yes")},
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
		{"right values", credentials{"url": "x", "key": " right\n"}, options{"loud": "yes"}, ""},
		{"a wrong value", credentials{"url": "x", "key": "left"}, nil, "key"},
		{"an empty value", credentials{"url": "x", "key": ""}, options{"loud": ""}, ""},
		{"a wrong option", credentials{"url": "x"}, options{"loud": "no"}, "loud"},
		{"an option that is no string", credentials{"url": "x"}, options{"loud": true}, ""},
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
		if e := publish.AsError(err); e.Code != tt.field || e.Kind != schedctl.KindContent || e.Message == "" || strings.Contains(e.Message, "content:") {
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
