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
		return strings.TrimPrefix(d.Field+": ", ": ") + d.Message
	case d.Limit > 0 && !strings.Contains(d.Message, strconv.Itoa(d.Limit)):
		return fmt.Sprintf("%s (%d of %d %s)", d.Message, d.Length, d.Limit, d.Unit)
	}
	return d.Message
}
