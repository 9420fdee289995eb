package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
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
	if said == details[0].Message { // which is one of the lines
		said = "the daemon refuses this for several reasons"
		if !slices.ContainsFunc(details, func(d apiv1.Detail) bool { return d.SocialAccountID == "" }) {
			said = fmt.Sprintf("the post is refused for %d accounts", len(details))
		}
	}
	return strings.Replace(message, refused.Error(), said, 1), lines
}

// detailText is one fault. Of an account the message names it, and says the
// length that its network counts; should it not, that is added.
func detailText(d apiv1.Detail) string {
	switch {
	case d.SocialAccountID == "":
		return strings.TrimPrefix(d.Field+": ", ": ") + d.Message
	case d.Limit > 0 && !strings.Contains(d.Message, strconv.Itoa(d.Limit)):
		return fmt.Sprintf("%s (%d of %d %s)", d.Message, d.Length, d.Limit, d.Unit)
	}
	return d.Message
}
