package outbound

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

const (
	maxReceiptID  = 255  // bytes
	maxReceiptURL = 2048 // bytes
)

// Receipt reads id and url from the JSON object in a response. A member that is
// missing, has another type, is too long or cannot be printed is left empty. So is a
// URL that is not an absolute http or https URL. A number is accepted as an id.
func Receipt(response Response) schedctl.Receipt {
	var object struct{ ID, URL any }
	dec := json.NewDecoder(bytes.NewReader(response.Body))
	dec.UseNumber()
	if response.Cut || dec.Decode(&object) != nil {
		return schedctl.Receipt{}
	}
	return schedctl.Receipt{ID: receiptID(object.ID), URL: receiptURL(object.URL)}
}

func receiptID(value any) string {
	var id string
	switch v := value.(type) {
	case string:
		id = v
	case json.Number:
		id = v.String()
	}
	if len(id) > maxReceiptID || !printable(id) {
		return ""
	}
	return id
}

func receiptURL(value any) string {
	text, _ := value.(string)
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil ||
		len(text) > maxReceiptURL || !printable(text) {
		return ""
	}
	return text
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
