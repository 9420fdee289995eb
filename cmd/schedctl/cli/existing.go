package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// existingChoices are the values of --existing.
var existingChoices = []string{string(schedctl.ExistingApprove), string(schedctl.ExistingSubmit)}

// Existing is the flag --existing of commands that change which posts need an approval.
type Existing struct {
	*App
	value string
}

// Add adds the flag to the command.
func (e *Existing) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.value, "existing", "", "scheduled posts that lack an approval then: the `choice` approve or submit")
	cmd.RegisterFlagCompletionFunc("existing", cobra.FixedCompletions(existingChoices, cobra.ShellCompDirectiveNoFileComp))
}

// inFlags leaves the field of the API out of an error. In JSON, the details keep it.
func (e *Existing) inFlags(refused *apiv1.Error) {
	for i := range refused.Details {
		if d := &refused.Details[i]; refused.Code == schedctl.ExistingPosts && !e.JSON.Given {
			d.Field = ""
		}
	}
}

// Given reports whether the flag has a value.
func (e *Existing) Given() bool { return e.value != "" }

// Send sends the change with the value of the flag. If scheduled posts lack an approval and
// the flag has no value, it asks on a terminal, and sends the change again.
func (e *Existing) Send(ctx context.Context, send func(existing string) error) error {
	if e.Given() && !slices.Contains(existingChoices, e.value) {
		return UnknownValueError("--existing", e.value, existingChoices)
	}
	err := send(e.value)
	refused, ok := errors.AsType[*client.Error](err)
	if ok {
		e.inFlags(&refused.API)
	}
	if !ok || refused.API.Code != schedctl.ExistingPosts || e.Given() || !e.Asks() {
		return err
	}
	const cancel = "cancel"
	choice := cancel
	e.Message(apiv1.InCommands(refused.API.Message))
	if err := e.AskLines(ctx, []Question{{Title: "These posts", Value: &choice, Choices: []Choice{
		{existingChoices[0], "Approve them"}, {existingChoices[1], "Submit them: they become drafts that wait for an approval"}, {cancel, "Change nothing"},
	}}}); err != nil {
		return err
	}
	if choice == cancel {
		return errDeclined
	}
	return send(choice)
}
