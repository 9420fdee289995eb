package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// describeError splits the message of an error with several faults into a headline and a
// line for each fault.
func describeError(err error, message string) (headline string, lines []string) {
	var refused *client.Error
	if !errors.As(err, &refused) || len(refused.API.Details) < 2 {
		return message, nil
	}
	details := refused.API.Details
	for _, d := range details {
		lines = append(lines, detailText(d))
	}
	said := refused.API.Message
	if said == details[0].Message { // the headline repeats the only detail
		said = "the daemon refuses this for several reasons"
		if !slices.ContainsFunc(details, func(d apiv1.Detail) bool { return d.SocialAccountID == "" }) {
			said = fmt.Sprintf("the post is refused for %d accounts", len(details))
		}
	}
	return strings.Replace(message, refused.Error(), said, 1), lines
}

// detailText formats one fault. For an account it includes the name and the length as
// the network counts it.
func detailText(d apiv1.Detail) string {
	switch {
	case d.SocialAccountID == "":
		return strings.TrimPrefix(apiv1.FieldInWords(d.Field)+": ", ": ") + d.Message
	case d.Limit > 0 && !strings.Contains(d.Message, strconv.Itoa(d.Limit)):
		return fmt.Sprintf("%s (%d of %d %s)", d.Message, d.Length, d.Limit, d.Unit)
	}
	return d.Message
}

// ErrorText returns the message of an error in one line for people, with all its faults.
func ErrorText(err error) string {
	headline, lines := describeError(err, err.Error())
	if len(lines) > 0 {
		headline += ": " + strings.Join(lines, "; ")
	}
	return MessageLine(headline)
}

// accountID matches the id of an account.
var accountID = pattern.Lazy(`acct_[0-9A-Z]{26}`)

// nameTime limits the request for the names in a message.
const nameTime = 3 * time.Second

// inNames returns a message of the daemon with the names of accounts instead of their ids,
// as far as the daemon tells them. An id that was typed stays.
func (a *App) inNames(message string, args []string) string {
	if !accountID().MatchString(message) || slices.ContainsFunc(args, accountID().MatchString) {
		return message
	}
	c, err := a.Connect()
	if err != nil {
		return message
	}
	defer c.Close()
	ctx, done := context.WithTimeout(context.Background(), nameTime)
	defer done()
	list, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
	if err != nil {
		return message
	}
	return accountID().ReplaceAllStringFunc(message, func(id string) string {
		if i := slices.IndexFunc(list, func(a apiv1.Account) bool { return a.ID == id }); i >= 0 {
			return strconv.Quote(list[i].Name)
		}
		return id
	})
}
