package apiv1

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// requestAndCommand matches what a client of the API sends, with the command or the flag
// that does the same in parentheses after it.
var requestAndCommand = regexp.MustCompile(`(?:(?:GET|POST|PATCH|DELETE) /[^ ]+|[a-z_]+(?:: [^()":;,]+)?) \((schedctl [^()]+|--[^()]+)\)`)

// InCommands returns a message of the daemon for people: where the message names a request and,
// in parentheses, the command or the flag for it, only the latter stays.
func InCommands(message string) string {
	return requestAndCommand.ReplaceAllString(message, "$1")
}

// fieldWords has what people call fields whose names in the API are not plain words.
var fieldWords = map[string]string{
	"publish_at": "time", "proposed_at": "proposed time", "not_before": "earliest time", "queue_id": "queue", "series_id": "series",
	"social_account_id": "account", "social_account_ids": "accounts", "target_overrides": "texts of single accounts",
	"media_asset_ids": "files", "content": "text", "expires_in_seconds": "duration", "link_preview": "link card",
}

// FieldInWords returns the field of a fault for people, for example "part 3, text" for
// "thread[1].content".
func FieldInWords(field string) string {
	var words []string
	for name := range strings.SplitSeq(field, ".") {
		name, rest, indexed := strings.Cut(name, "[")
		word, known := fieldWords[name]
		if !known {
			word = strings.ReplaceAll(name, "_", " ")
		}
		if i, err := strconv.Atoi(strings.TrimSuffix(rest, "]")); indexed && err == nil && i >= 0 && i < math.MaxInt-2 {
			if i++; name == "thread" {
				word, i = "part", i+1 // the first part is the text of the post
			}
			word += " " + strconv.Itoa(i)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// messageTime matches a time as messages of the daemon have it.
var messageTime = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b`)

// WithTimes returns a message of the daemon with each time as format writes it.
func WithTimes(message string, format func(time.Time) string) string {
	return messageTime.ReplaceAllStringFunc(message, func(text string) string {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return text
		}
		return format(at)
	})
}
