package x

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // OAuth 1.0a prescribes it
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// authorization returns the header Authorization of a request, signed as in RFC 5849.
// The body is not signed: it is JSON or multipart.
func (a access) authorization(method string, u *url.URL, now time.Time) string {
	oauth := map[string]string{
		"oauth_consumer_key": a.key, "oauth_nonce": rand.Text(), "oauth_signature_method": "HMAC-SHA1",
		"oauth_timestamp": strconv.FormatInt(now.Unix(), 10), "oauth_token": a.token, "oauth_version": "1.0",
	}
	oauth["oauth_signature"] = signature(method, u, oauth, nil, a.secret, a.tokenSecret)
	var list []string
	for name, value := range oauth {
		list = append(list, name+`="`+escape(value)+`"`)
	}
	slices.Sort(list)
	return "OAuth " + strings.Join(list, ", ")
}

// signature returns the HMAC-SHA1 signature of a request (RFC 5849, section 3.4). form
// are the fields of a body of the type application/x-www-form-urlencoded.
func signature(method string, u *url.URL, oauth map[string]string, form url.Values, secret, tokenSecret string) string {
	var pairs []string
	for name, value := range oauth {
		pairs = append(pairs, escape(name)+"="+escape(value))
	}
	for _, values := range []url.Values{u.Query(), form} {
		for name, list := range values {
			for _, value := range list {
				pairs = append(pairs, escape(name)+"="+escape(value))
			}
		}
	}
	slices.Sort(pairs)
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	base := method + "&" + escape(u.Scheme+"://"+host+u.EscapedPath()) + "&" + escape(strings.Join(pairs, "&"))
	mac := hmac.New(sha1.New, []byte(escape(secret)+"&"+escape(tokenSecret)))
	mac.Write([]byte(base))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// escape encodes all bytes except those that RFC 3986 does not reserve.
func escape(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
