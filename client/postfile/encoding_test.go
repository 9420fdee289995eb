package postfile_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/schedctl/schedctl/client/postfile"
)

func encoded(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEncodingsThatAreCertain reads texts without the name of their encoding. want is empty
// if the encoding is not certain.
func TestEncodingsThatAreCertain(t *testing.T) {
	t.Parallel()
	const german, french = "Grüße aus Köln – „schön“ für 5 €", "C’est déjà l’été à Nîmes"
	little, big := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	for name, test := range map[string]struct {
		in   encoding.Encoding
		text string
		sure bool
	}{
		"UTF-8":                         {encoding.Nop, german, true},
		"UTF-16":                        {little, german + " 🎉", true},
		"UTF-16, big-endian":            {big, "Привет 🎉", true},
		"UTF-16 without a mark":         {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), french, true},
		"UTF-16, big, without one":      {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), french, true},
		"Windows-1252, German":          {charmap.Windows1252, german, true},
		"Windows-1252, one umlaut":      {charmap.Windows1252, "Wir sind für euch da", true},
		"Windows-1252, quotes, proof":   {charmap.Windows1252, "„Grüße“ – und los…", true},
		"Windows-1252, English":         {charmap.Windows1252, "It’s fine", false}, // Itís on an old Mac
		"Windows-1252, French":          {charmap.Windows1252, french, false},      // à is ŕ in Windows-1250
		"Windows-1250, Czech":           {charmap.Windows1250, "Příliš žluťoučký kůň", false},
		"Windows-1250, Polish":          {charmap.Windows1250, "Zażółć gęślą jaźń", false},
		"Windows-1251, Russian":         {charmap.Windows1251, "Вот новый выпуск", false},
		"Windows-1253, Greek":           {charmap.Windows1253, "Καλημέρα κόσμε", false},
		"Macintosh, German":             {charmap.Macintosh, "Grüße aus Köln für Mädchen", false},
		"Macintosh, German, one letter": {charmap.Macintosh, "Viel Spaß", false},
		"Macintosh, Spanish":            {charmap.Macintosh, "mañana canción día está aquí", false},
		"Macintosh, one Spanish word":   {charmap.Macintosh, "está aquí", false},
		"Macintosh, French":             {charmap.Macintosh, "un café et voilà le thé", false},
		"Macintosh, Italian":            {charmap.Macintosh, "perché no così è la città", false},
		"Macintosh, English":            {charmap.Macintosh, "It’s “fine” – really…", false},
		"code page 850, German":         {charmap.CodePage850, "Mädchen und Jungen", false},
		"code page 850, a capital":      {charmap.CodePage850, "Öl und Gas", false},
		"code page 850, sharp s":        {charmap.CodePage850, "Viel Spaß", false},
		"code page 850, French":         {charmap.CodePage850, "un café et voilà le thé", false},
		"code page 850, à":              {charmap.CodePage850, "on va à la mer", false},
		"code page 850, Spanish":        {charmap.CodePage850, "mañana canción día está aquí", false},
		"code page 437, French":         {charmap.CodePage437, "Où est le café", false},
		"Windows-1254, Turkish":         {charmap.Windows1254, "İyi günler", false},
		"ISO 8859-1, German":            {charmap.ISO8859_1, "Grüße aus Köln", true},
	} {
		r := postfile.NewReader(strings.NewReader(encoded(t, test.in, "content,to\n"+test.text+",demo\n")), "")
		d, err := r.Next()
		switch {
		case test.sure && (err != nil || d.Post.Content != test.text):
			t.Errorf("%s: %q, %v", name, d.Post.Content, err)
		case !test.sure && (err == nil || !strings.Contains(err.Error(), "--encoding")):
			t.Errorf("%s: %q, error %v", name, d.Post.Content, err)
		}
	}
}

func TestNamedEncodings(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]encoding.Encoding{
		"windows-1252": charmap.Windows1252, "CP1252": charmap.Windows1252, "Windows 1251": charmap.Windows1251, "iso-8859-2": charmap.ISO8859_2,
		"ISO_8859-15": charmap.ISO8859_15, "macintosh": charmap.Macintosh, "cp850": charmap.CodePage850, "utf-8": encoding.Nop, "UTF16": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16LE": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16BE": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	} {
		text := "é"
		if e == charmap.Windows1251 {
			text = "Привет"
		}
		r := postfile.NewReader(strings.NewReader(encoded(t, e, `{"content":"`+text+`"}`)), "")
		if err := r.Decode(name); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d, err := r.Next(); err != nil || d.Post.Content != text {
			t.Errorf("%s: %q, %v", name, d.Post.Content, err)
		}
	}
	for _, name := range postfile.Encodings {
		if err := new(postfile.Reader).Decode(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "klingon", "cp", "windows", "utf-7"} {
		if err := new(postfile.Reader).Decode(name); err == nil || !strings.Contains(err.Error(), "windows-1252") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestEncodingsThatBecomeUncertain has a byte that is not certain after a long part that is.
func TestEncodingsThatBecomeUncertain(t *testing.T) {
	t.Parallel()
	text := "content\n" + strings.Repeat("Gr\xfc\xdfe\n", 50_000) + "d\xe9j\xe0\n"
	r := postfile.NewReader(strings.NewReader(text), "")
	rows := 0
	for {
		_, err := r.Next()
		if err == nil {
			rows++
			continue
		}
		at, ok := errors.AsType[*postfile.Error](err)
		if !ok || at.Line != 50_002 || !at.Final || rows != 50_000 {
			t.Errorf("after %d rows: %v", rows, err)
		}
		return
	}
}

// TestDamagedCharactersAreRefused reads files with bytes that their encoding does not define.
func TestDamagedCharactersAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ encoding, text string }{
		"half a pair in UTF-16": {"", "\xff\xfec\x00o\x00n\x00t\x00e\x00n\x00t\x00\n\x00a\x00\x00\xd8b\x00\n\x00"},
		"Windows-1252":          {"windows-1252", "content\na\x81b\n"},
	} {
		r := postfile.NewReader(strings.NewReader(test.text), "")
		if test.encoding != "" {
			if err := r.Decode(test.encoding); err != nil {
				t.Fatal(err)
			}
		}
		d, err := r.Next()
		if at, is := errors.AsType[*postfile.Error](err); !is || at.Line != 2 {
			t.Errorf("%s: %q, %v", name, d.Post.Content, err)
		}
	}
}
