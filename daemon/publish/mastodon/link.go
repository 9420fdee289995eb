package mastodon

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Mastodon finds links with the expressions of the twitter-text library, some of
// them replaced. This parser finds the same links without backtracking. There is one
// difference: it knows only the top-level domains in other scripts and accepts every
// name of two or more Latin letters.

const (
	maxLink   = 4096 // characters
	maxDomain = 253  // characters, of up to four bytes
)

// linkSchemes are the schemes that start a link.
var linkSchemes = []string{"https://", "http://", "dat://", "dweb://", "ipfs://", "ipns://", "ssb://", "gopher://", "gemini://"}

// neverTopLevel are names that are never top-level domains: reserved names, names in
// private use, and the schemes, which may follow a period.
var neverTopLevel = sync.OnceValue(func() map[string]bool {
	return wordSet("alt corp example home http https dat dweb ipfs ipns gopher gemini ssb internal invalid lan local localhost mail test")
})

// topLevel are the top-level domains in other scripts, by their first character.
var topLevel = sync.OnceValue(func() map[rune][]string {
	return indexByFirstRune(`
	한국 닷넷 닷컴 삼성 中国 中國 台湾 台灣 香港 澳门 澳門 新加坡 世界 中文网 中信 企业 佛山 信息 健康 八卦 公司 公益 商城 商店 商标 嘉里 在线
	大拿 天主教 娱乐 广东 我爱你 手机 招聘 政务 政府 新闻 时尚 書籍 机构 游戏 点看 移动 组织机构 网址 网店 网站 网络 谷歌 购物 通販 集团 食品 餐厅
	みんな アマゾン クラウド グーグル コム ストア セール ファッション ポイント 家電
	рф укр бел мкд срб бг ею қаз мон дети ком католик москва онлайн орг рус сайт ελ ευ հայ გე ไทย คอม ລາວ
	भारत भारतम् भारोत कॉम नेट संगठन বাংলা ভারত ভাৰত ਭਾਰਤ ભારત ଭାରତ இந்தியா இலங்கை சிங்கப்பூர் భారత్ ಭಾರತ ഭാരതം ලංකා ישראל קום
	السعودية العليان المغرب امارات ایران بازار بھارت بيتك پاکستان تونس سودان سورية شبكة عراق عرب عمان فلسطين قطر كاثوليك كوم مصر مليسيا موريتانيا موقع همراه الاردن الجزائر البحرين`)
})

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

func indexByFirstRune(list string) map[rune][]string {
	names := map[rune][]string{}
	for name := range wordSet(list) {
		first, _ := utf8.DecodeRuneInString(name)
		names[first] = append(names[first], name)
	}
	return names
}

// links returns the links with a scheme in a text, in order.
func links(text string) []entity {
	if !strings.Contains(text, "://") {
		return nil
	}
	var found []entity
	last, before := -1, rune(-1)
	for i := 0; i < len(text); {
		if i > last && mayPrecede(before) {
			if n, scheme := linkLength(text[i:]); n > 0 {
				if scheme && utf8.RuneCountInString(text[i:i+n]) <= maxLink {
					found = append(found, entity{start: i, end: i + n, counted: i + n, link: true})
				}
				i += n
				last, before = i, -1
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		before, i = r, i+n
	}
	return found
}

// mayPrecede reports whether a link may follow the character r; -1 means the start
// of the text.
func mayPrecede(r rune) bool {
	return !isASCIIAlphanumeric(r) && !strings.ContainsRune("@＠$#＃\uFFFE\uFEFF\uFFFF", r)
}

// linkLength returns the length of the link at the start of text, or 0, and whether
// the link has a scheme. Mastodon does not count a link without a scheme, but finds
// nothing inside it.
func linkLength(text string) (n int, scheme bool) {
	for _, s := range linkSchemes {
		if len(text) >= len(s) && strings.EqualFold(text[:len(s)], s) {
			n, scheme = len(s), true
			break
		}
	}
	length := domainLength(text[n:])
	if length == 0 {
		return 0, false
	}
	n += length
	n += portLength(text[n:])
	n += pathLength(text[n:])
	n += queryLength(text[n:])
	return n, scheme
}

// domainLength returns the length of the domain name at the start of text: the
// longest one that ends in a top-level domain, or 0.
func domainLength(text string) int {
	longest, pos, before := 0, 0, ""
	for pos <= 4*maxDomain {
		label := domainLabel(text[pos:])
		if before != "" && !strings.Contains(before, "_") {
			if n := topLevelDomain(text[pos:], label); n > 0 {
				longest = pos + n
			}
		}
		next := pos + len(label)
		if label == "" || strings.Trim(label, "-_") != label || !strings.HasPrefix(text[next:], ".") {
			break
		}
		before, pos = label, next+1
	}
	return longest
}

// domainLabel returns the label of a domain name at the start of text. An overlong
// label is cut.
func domainLabel(text string) string {
	for i, r := range text {
		if (r != '-' && r != '_' && !isDomainCharacter(r)) || i > 4*maxDomain {
			return text[:i]
		}
	}
	return text
}

// isDomainCharacter reports whether a character is neither ASCII punctuation nor
// white space nor a control character.
func isDomainCharacter(r rune) bool {
	switch {
	case r < 0x80:
		return isASCIIAlphanumeric(r)
	case isSpace(r), isDirectional(r), r == 0xFFFE, r == 0xFEFF, r == 0xFFFF, r == utf8.RuneError:
		return false
	}
	return true
}

func isDirectional(r rune) bool {
	return r == 0x61C || r == 0x200E || r == 0x200F || (r >= 0x202A && r <= 0x202E) || (r >= 0x2066 && r <= 0x2069)
}

func isASCIIAlphanumeric(r rune) bool {
	return (r >= '0' && r <= '9') || isASCIILetter(r)
}

func isASCIILetter(r rune) bool { return (r|0x20) >= 'a' && (r|0x20) <= 'z' }

// topLevelDomain returns the length of the top-level domain at the start of text, or
// 0. label is the longest prefix of text that can belong to a domain name.
func topLevelDomain(text, label string) int {
	n := 0
	for n < len(label) && isASCIILetter(rune(label[n])) {
		n++
	}
	switch {
	case n == 2 && len(label) > 4 && strings.EqualFold(label[:4], "xn--"):
		for n = 4; n < len(label) && isASCIIAlphanumeric(rune(label[n])); {
			n++
		}
		return n
	case n == 0:
		return foreignTopLevelDomain(text, label)
	case n == 1, nameContinues(text[n:]), neverTopLevel()[strings.ToLower(label[:n])]:
		return 0
	}
	return n
}

func foreignTopLevelDomain(text, label string) int {
	longest := 0
	first, _ := utf8.DecodeRuneInString(label)
	for _, name := range topLevel()[first] {
		if len(name) > longest && strings.HasPrefix(label, name) && !nameContinues(text[len(name):]) {
			longest = len(name)
		}
	}
	return longest
}

// nameContinues reports whether a domain name cannot end before text.
func nameContinues(text string) bool {
	return text != "" && (isASCIIAlphanumeric(rune(text[0])) || strings.ContainsRune("@+-", rune(text[0])))
}

func portLength(text string) int {
	n := 0
	for n+1 < len(text) && text[0] == ':' && text[n+1] >= '0' && text[n+1] <= '9' {
		n++
	}
	if n > 0 {
		n++
	}
	return n
}

// pathLength returns the length of the path and fragment at the start of text. The
// path ends neither with punctuation that ends a sentence nor with a bracket that it
// did not open.
func pathLength(text string) int {
	if !strings.HasPrefix(text, "/") {
		return 0
	}
	end := 1
	for i := 1; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == '(' {
			group, latin := brackets(text[i:])
			if group == 0 {
				break
			}
			if i += group; latin {
				end = i
			}
			continue
		}
		if !isPathCharacter(r) {
			break
		}
		if i += n; !strings.ContainsRune("!*\"'「」:;=,.$%[]~&|@", r) {
			end = i
		}
	}
	return end
}

func isPathCharacter(r rune) bool { return !isSpace(r) && !strings.ContainsRune("<>()?", r) }

// brackets returns the length of the group in brackets at the start of text, or 0 if
// it is empty or not closed. The group may contain one more group. A path may end
// with the group only if it is Latin or Cyrillic.
func brackets(text string) (n int, latin bool) {
	depth, inner := 0, 0
	latin = true
	for i, r := range text {
		switch {
		case r == '(':
			if depth++; depth == 2 {
				inner++
			}
			if depth > 2 || inner > 1 {
				return 0, false
			}
		case r == ')' && text[i-1] != '(':
			if depth--; depth == 0 {
				return i + 1, latin
			}
		case !isPathCharacter(r):
			return 0, false
		default:
			latin = latin && isLatinPathCharacter(r)
		}
	}
	return 0, false
}

func isLatinPathCharacter(r rune) bool {
	return isASCIIAlphanumeric(r) || strings.ContainsRune("!*';:=+,.$/%#[]_~&|@", r) || isLatinAccent(r) ||
		unicode.In(r, unicode.Cyrillic, unicode.Pd)
}

// queryLength returns the length of the query at the start of text.
func queryLength(text string) int {
	if !strings.HasPrefix(text, "?") {
		return 0
	}
	end := 0
	for i, r := range text {
		switch {
		case isASCIIAlphanumeric(r) || strings.ContainsRune("_&=#/-", r) || (r >= 0xA0 && r != utf8.RuneError):
			end = i + utf8.RuneLen(r)
		case !strings.ContainsRune("!?*'();:+$%[].,~|@^", r):
			return end
		}
	}
	return end
}
