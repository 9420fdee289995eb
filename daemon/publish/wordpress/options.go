package wordpress

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// The options of a post.
const (
	optionStatus     = "status"
	optionCategories = "categories"
	optionTitle      = "title"
)

// statuses are the values of the option status.
var statuses = []string{"publish", "draft", "pending", "private"}

const (
	maxTitle      = 300 // characters of the option title
	maxCategories = 20
)

// categorySlug matches the slug or the number of a category. Slugs of other scripts are
// percent-encoded.
var categorySlug = pattern.Lazy(`^[a-z0-9_%-]{1,200}$`)

// statusOf returns the status of a post.
func statusOf(o schedctl.Options) string { return cmp.Or(o.String(optionStatus), statuses[0]) }

// needsPublish reports whether a user needs the right to publish for a status.
func needsPublish(status string) bool { return status == "publish" || status == "private" }

// categories returns the wanted categories: slugs and numbers.
func categories(o schedctl.Options) (slugs []string, ids []int, err *publish.Error) {
	var list []string
	switch value := o[optionCategories].(type) {
	case nil:
		return nil, nil, nil
	case string:
		list = strings.Split(value, ",")
	case float64:
		list = []string{strconv.FormatFloat(value, 'f', -1, 64)}
	case []any:
		for _, item := range value {
			text, _ := item.(string)
			if number, isNumber := item.(float64); isNumber {
				text = strconv.FormatFloat(number, 'f', -1, 64)
			}
			list = append(list, text)
		}
	}
	if len(list) == 0 || len(list) > maxCategories {
		return nil, nil, badCategories()
	}
	for _, item := range list {
		item = strings.ToLower(strings.TrimSpace(item))
		id, notNumber := strconv.Atoi(item)
		switch {
		case notNumber == nil && id > 0:
			ids = append(ids, id)
		case notNumber != nil && categorySlug().MatchString(item):
			slugs = append(slugs, item)
		default:
			return nil, nil, badCategories()
		}
	}
	return slugs, ids, nil
}

func badCategories() *publish.Error {
	return publish.Contentf(optionCategories, "categories must be one to %d slugs or numbers of categories, separated by commas, such as news,releases", maxCategories)
}

func checkStatus(value string) error {
	if !slices.Contains(statuses, value) {
		return fmt.Errorf("status must be one of %s", strings.Join(statuses, ", "))
	}
	return nil
}

// checkOptions returns the first problem of the options, or nil.
func checkOptions(o schedctl.Options) *publish.Error {
	if value, given := o[optionStatus]; given {
		status, _ := value.(string)
		if err := checkStatus(status); err != nil {
			return publish.Contentf(optionStatus, "%s", err)
		}
	}
	if value, given := o[optionTitle]; given {
		title, isText := value.(string)
		if !isText || utf8.RuneCountInString(title) > maxTitle || strings.ContainsFunc(title, unicode.IsControl) {
			return publish.Contentf(optionTitle, "title must be one line of at most %d characters", maxTitle)
		}
	}
	_, _, err := categories(o)
	return err
}
