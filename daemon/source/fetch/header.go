package fetch

import (
	"errors"
	"fmt"
	"net/textproto"
	"slices"

	"golang.org/x/net/http/httpguts"
)

// ownHeaders are those that the fetcher and net/http set.
var ownHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "If-Modified-Since", "If-None-Match", "Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// CheckHeader returns why a request cannot have a header, or nil. The error is for people, and
// does not contain the value.
func CheckHeader(name, value string) error {
	switch {
	case !httpguts.ValidHeaderFieldName(name) || len(name) > 100:
		return fmt.Errorf("%.100q is not the name of a header; use a name such as X-Api-Key", name)
	case slices.Contains(ownHeaders, textproto.CanonicalMIMEHeaderKey(name)):
		return fmt.Errorf("schedctl sets the header %s itself; use another one", textproto.CanonicalMIMEHeaderKey(name))
	case value == "" || len(value) > 4096 || !httpguts.ValidHeaderFieldValue(value):
		return errors.New("the value of the header has 1 to 4096 bytes, without line breaks and control characters")
	}
	return nil
}
