package feed

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// declaration matches the XML declaration at the start of a document.
var declaration = regexp.MustCompile(`^<\?xml\s[^>]*\?>`)

// declaredEncoding matches the encoding in an XML declaration.
var declaredEncoding = regexp.MustCompile(`\bencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// toUTF8 returns a document in UTF-8, without a byte order mark, an XML declaration, and
// characters that XML does not allow. Servers and documents often name a wrong encoding. A
// byte order mark decides first. Then a document that is valid UTF-8 counts as UTF-8.
// Others have the encoding of the server's Content-Type, or else of the declaration.
func toUTF8(body []byte, contentType string) []byte {
	body = decode(body, contentType)
	body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	body = bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\uFEFF' || r == '\uFFFE' || r == '\uFFFF' {
			return -1
		}
		return r
	}, body)
	body = bytes.TrimLeft(body, " \t\r\n")
	return bytes.TrimLeft(body[len(declaration.Find(body)):], " \t\r\n")
}

func decode(body []byte, contentType string) []byte {
	var label string
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		label = params["charset"]
	}
	var declared string
	if found := declaredEncoding.FindSubmatch(declaration.Find(bytes.TrimLeft(body, " \t\r\n"))); found != nil {
		declared = string(found[1])
	}
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return body[3:]
	case bytes.HasPrefix(body, []byte("\xFE\xFF")), bytes.HasPrefix(body, []byte("\x00<")), bytes.HasPrefix(body, []byte("\x00{")):
		return converted(body, unicode.UTF16(unicode.BigEndian, unicode.UseBOM))
	case bytes.HasPrefix(body, []byte("\xFF\xFE")), bytes.HasPrefix(body, []byte("<\x00")), bytes.HasPrefix(body, []byte("{\x00")):
		return converted(body, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM))
	case utf8.Valid(body) && !bytes.Contains(body, []byte("\x1B")): // ISO-2022-JP has escapes
		return body
	}
	for _, name := range []string{label, declared} {
		if e, canonical := charset.Lookup(name); e != nil && canonical != "utf-8" && !strings.HasPrefix(canonical, "utf-16") {
			return converted(body, e)
		}
	}
	return body
}

// converted returns a body in UTF-8. Bytes that the encoding does not define become U+FFFD.
func converted(body []byte, e encoding.Encoding) []byte {
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return out
}
