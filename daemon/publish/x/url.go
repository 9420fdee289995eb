package x

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	maxURL   = 4096 // UTF-16 code units, with the scheme counted twice
	maxSlug  = 40   // of a link that X has shortened
	maxLabel = 63
)

// link is a link in a text.
type link struct {
	start int // in bytes
	units int // its length in UTF-16 code units
}

//go:embed tlds.txt
var tldData string

// The character classes of twitter-text. Expressions are matched with folded text.
const (
	invalidClass   = `\x{FFFE}\x{FEFF}\x{FFFF}`
	directionClass = `\x{202A}-\x{202E}\x{061C}\x{200E}\x{200F}\x{2066}-\x{2069}`
	spaceClass     = `\x09-\x0D\x20\x{85}\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}`
	latinClass     = `\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{24F}\x{253}\x{254}\x{256}\x{257}\x{259}\x{25B}\x{263}\x{268}\x{26F}\x{272}\x{289}\x{28B}\x{2BB}\x{300}-\x{36F}\x{1E00}-\x{1EFF}\x{3B9}\x{1FBE}\x{2C65}\x{2C66}\x{2C7E}\x{2C7F}`
	cyrillicClass  = `\x{400}-\x{4FF}\x{1C80}-\x{1C87}`

	domainChar = `[^!'#%&()*+,\\\-./:;<=>?@\[\]^_{|}~$` + spaceClass + invalidClass + directionClass + `]`
	subdomain  = `(?:(?:` + domainChar + `(?:[_-]|` + domainChar + `)*)?` + domainChar + `\.)`
	domainName = `(?:(?:` + domainChar + `(?:-|` + domainChar + `)*)?` + domainChar + `\.)`
	punycode   = `(?:xn--[\-0-9a-z]+)`

	pathChar   = `[a-z` + cyrillicClass + `0-9!*';:=+,.$/%#\[\]\-\x{2013}_~@|&` + latinClass + `]`
	pathParens = `\((?:` + pathChar + `+|(?:` + pathChar + `*\(` + pathChar + `+\)` + pathChar + `*))\)`
	pathEnd    = `(?:[+\-a-z` + cyrillicClass + `0-9=_#/` + latinClass + `]|(?:` + pathParens + `))`
	path       = `(/(?:(?:` + pathChar + `*(?:` + pathParens + pathChar + `*)*` + pathEnd + `)|(?:@` + pathChar + `+/))*)`
	query      = `(?:\?[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-z0-9\-_&=#/])`

	// After a top-level domain comes a port, a path or a query, which belong to the link, or
	// another character, or the end of the text.
	afterDomain = `(?::[0-9]+` + path + `?` + query + `?()|` + path + query + `?()|` + query + `()|()(?:[^0-9a-zA-Z@+-]|$))`
	afterCode   = `(?::[0-9]+)?` + path + `?` + query + `?()`
)

// Indexes of groups in linkForm.
const (
	groupBefore = 1 + iota
	groupScheme
	groupDomain   // an empty group before the domain
	groupEnd      // an empty group after the domain
	groupPath     // after a port
	_             // the end of the link
	groupPathOnly // without a port
	_
	_
	_
	groupCodeEnd // an empty group after a domain in Punycode
	groupCodePath
	_
	groupCount
)

// lazy returns a function that compiles an expression when it is first used.
func lazy(expression func() string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression()) })
}

// topLevel returns an expression for the top-level domains, in the order of twitter-text.
func topLevel() string {
	return `(?:` + strings.Join(strings.Fields(strings.Join(dataLines(tldData), " ")), "|") + `)`
}

// linkForm matches a link and the character before it. firstLinkForm also matches a link
// at the start of a text.
var (
	linkForm      = lazy(func() string { return linkExpression("") })
	firstLinkForm = lazy(func() string { return linkExpression("|^") })
)

func linkExpression(orStart string) string {
	before := `((?:[^A-Za-z0-9@＠$#＃` + invalidClass + `]|[` + directionClass + `]` + orStart + `))`
	return before + `(https?://)?()` + subdomain + `*` + domainName + `(?:` + topLevel() + `()` + afterDomain + `|` + punycode + `()` + afterCode + `)`
}

// asciiDomain matches the part of a domain without a scheme that X makes a link.
var asciiDomain = lazy(func() string {
	return `(?:(?:[\-a-z0-9` + latinClass + `]+)\.)+(?:` + topLevel() + `()(?:[^0-9a-zA-Z@+-]|$)|` + punycode + `())`
})

// shortLink matches a link that X has shortened.
var shortLink = lazy(func() string { return `^https?://t\.co/([a-z0-9]+)` + query + `?` })

// findURLs returns the links of a text, in order.
func findURLs(text string) (found []link) {
	if !strings.Contains(text, ".") {
		return nil
	}
	folded := fold(text)
	form := firstLinkForm
	for pos := 0; pos < len(text); form = linkForm {
		m := form().FindStringSubmatchIndex(folded[pos:])
		if m == nil {
			return found
		}
		c := candidateOf(m, pos)
		found = append(found, c.links(text, folded)...)
		pos = c.url.end
	}
	return found
}

// candidate is a match of linkForm.
type candidate struct {
	before, url, domain span
	scheme, path        bool
}

// candidateOf returns a match that was found at pos.
func candidateOf(m []int, pos int) candidate {
	at := func(group int) int { return m[2*group] }
	c := candidate{before: span{pos + m[2*groupBefore], pos + m[2*groupBefore+1]}, scheme: at(groupScheme) >= 0}
	c.url.start = c.before.end
	c.domain = span{pos + at(groupDomain), pos + max(at(groupEnd), at(groupCodeEnd))}
	c.path = at(groupPath) >= 0 || at(groupPathOnly) >= 0 || at(groupCodePath) >= 0
	for group := groupEnd; group < groupCount; group++ {
		if m[2*group] >= 0 {
			c.url.end = max(c.url.end, pos+m[2*group+1])
		}
	}
	return c
}

// links returns the links of a candidate. Without a scheme these are the domains in
// ASCII. folded has one character for each UTF-16 code unit.
func (c candidate) links(text, folded string) []link {
	url, domain := folded[c.url.start:c.url.end], text[c.domain.start:c.domain.end]
	if !c.valid(url, domain) {
		return nil
	}
	if c.scheme {
		if m := shortLink().FindStringSubmatchIndex(url); m != nil {
			if m[3]-m[2] > maxSlug {
				return nil
			}
			url = url[:m[1]]
		}
		return []link{{c.url.start, utf8.RuneCountInString(url)}}
	}
	if strings.ContainsAny(text[c.before.start:c.before.end], "-_./") {
		return nil
	}
	return c.domainLinks(utf8.RuneCountInString(url), domain, folded[c.domain.start:c.domain.end])
}

// domainLinks returns the links of a candidate without a scheme. units is the length of
// the candidate.
func (c candidate) domainLinks(units int, domain, folded string) (found []link) {
	end := 0
	for pos := 0; pos < len(domain); {
		m := asciiDomain().FindStringSubmatchIndex(folded[pos:])
		if m == nil {
			break
		}
		stop := pos + max(m[2], m[4])
		name := domain[pos+m[0] : stop]
		start := end + strings.Index(domain[end:], name)
		end, pos = start+len(name), stop
		found = append(found, link{c.url.start + start, utf8.RuneCountInString(name)})
	}
	if len(found) > 0 && c.path {
		found[len(found)-1].units += units - utf8.RuneCountInString(folded)
	}
	return found
}

// valid reports whether a link in folded text is short enough and its labels are possible.
func (c candidate) valid(url, domain string) bool {
	if strings.HasPrefix(domain, "xn--") && !asciiDomain().MatchString(fold(domain)) {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		label = strings.NewReplacer("。", ".", "．", ".", "｡", ".").Replace(label)
		if encoded, _ := idna.Punycode.ToASCII(label); len(encoded) > maxLabel {
			return false
		}
	}
	scheme := len("https://")
	if c.scheme {
		scheme = c.domain.start - c.url.start
	}
	return scheme+utf8.RuneCountInString(url) <= maxURL
}
