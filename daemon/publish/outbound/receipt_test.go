package outbound_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestReceipt(t *testing.T) {
	t.Parallel()
	type receipt = schedctl.Receipt
	for body, want := range map[string]receipt{
		`{"id":"1","url":"https://social.example/@a/1"}`: {ID: "1", URL: "https://social.example/@a/1"},
		`{"id":17,"other":true}`:                         {ID: "17"},
		`{"id":123456789012345678901234567890}`:          {ID: "123456789012345678901234567890"},
		`{"url":"http://127.0.0.1:8001/p/1"}`:            {URL: "http://127.0.0.1:8001/p/1"},
		`{"id":"1","url":"javascript:alert(1)"}`:         {ID: "1"},
		`{"id":"1","url":"/relative"}`:                   {ID: "1"},
		`{"id":"1","url":"https:///x"}`:                  {ID: "1"},
		`{"id":"1","url":"https://u:p@social.example"}`:  {ID: "1"},
		`{"id":"1","url":17}`:                            {ID: "1"},
		`{"id":"a\nb"}`:                                  {},
		`{"id":["1"]}`:                                   {},
		`{"id":"` + strings.Repeat("1", 256) + `"}`:      {},
		`{"id":"1"`:    {},
		`["1"]`:        {},
		`null`:         {},
		``:             {},
		"\xff":         {},
		`<html></htm>`: {},
	} {
		if diff := cmp.Diff(want, outbound.Receipt(outbound.Response{Body: []byte(body)})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	if got := outbound.Receipt(outbound.Response{Body: []byte(`{"id":"1"}`), Cut: true}); got.ID != "" {
		t.Errorf("a truncated body gave %v", got)
	}
}

func checkReceipt(t *testing.T, body []byte) {
	r := outbound.Receipt(outbound.Response{Body: body})
	u, err := url.Parse(r.URL)
	if err != nil || (r.URL != "" && u.Scheme != "http" && u.Scheme != "https") || len(r.URL) > 2048 || len(r.ID) > 255 {
		t.Errorf("%q: got %+v", body, r)
	}
}
