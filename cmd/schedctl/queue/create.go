package queue

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// slotHelp explains --slot.
const slotHelp = `A slot is one or more weekdays and one or more times of day: "mon-fri 09:00",
"tue,thu 9am,17:00", "weekends 10:00", "daily noon". Its times are local times in the
zone of the queue, also after a clock change. A time that clocks skip becomes the first
instant after the gap, and a time that occurs twice is the first of the two.`

// settings are the flags of a queue.
type settings struct {
	slots, accounts []string
	when            cli.WhenFlags // for --tz
	gap             cli.DurationFlag
	standard        bool
}

func (s *settings) add(a *cli.App, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.slots, "slot", nil, "weekdays and `times` of day, such as \"mon-fri 09:00\" (repeatable)")
	account.AddSeveral(a, cmd, &s.accounts, "an `account` that uses the queue: an id, a name, platform:name, or all (repeatable)")
	cmd.Flags().Var(&s.gap, "gap", "the smallest `duration` between a slot and another post of the same account, such as 30m")
	cmd.Flags().BoolVar(&s.standard, "default", false, "use this queue for posts whose accounts no queue names")
	s.when.AddZone(cmd)
}

// times returns the times that --slot names.
func (s *settings) times() ([]apiv1.QueueTime, error) {
	times := []apiv1.QueueTime{}
	for _, text := range s.slots {
		parsed, err := repeat.ParseSlots(text)
		if err != nil {
			return nil, err
		}
		times = append(times, cli.Map(parsed, apiv1.NewQueueTime)...)
	}
	return times, nil
}

type createOptions struct {
	*cli.App
	settings
}

func newCreate(a *cli.App) *cobra.Command {
	o := &createOptions{App: a}
	cmd := cli.DeclareJSON[withDisplaced](&cobra.Command{
		Use:   "create NAME",
		Short: "Make a queue",
		Long: `Make a queue with weekly slots.

` + slotHelp + `

Without --account the queue is for all accounts. With --gap, a slot counts as free
only if the account has no other post within this time before or after it. The first
queue is the default queue.`,
		Example: `  schedctl queue create main --slot "mon-fri 09:00" --slot "mon-fri 17:00" --tz Europe/Berlin
  schedctl queue create weekend --slot "sat,sun 10:00" --account blog --gap 30m
  schedctl queue create evening --slot "daily 8pm" --default`,
		Args: cli.Args(1, 1, "one name"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	o.add(a, cmd)
	return cmd
}

func (o *createOptions) run(ctx context.Context, name string) error {
	if len(o.slots) == 0 {
		return cli.UsageError("a queue needs at least one slot").WithHint(`give it with --slot "mon-fri 09:00"`)
	}
	times, err := o.times()
	if err != nil {
		return err
	}
	zone, err := o.when.ZoneName(o.App)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	request := apiv1.CreateQueue{Name: name, Timezone: zone, Times: times, Default: o.standard}
	if o.gap != 0 {
		request.Gap = o.gap.String()
	}
	if request.SocialAccountIDs, err = account.IDsOrAll(ctx, o.App, c, o.accounts); err != nil {
		return err
	}
	made, err := c.CreateQueue(ctx, request)
	if err != nil {
		return err
	}
	o.RememberID(cli.QueueNoun, made.Queue.ID)
	err = printChanged(ctx, o.App, c, made, "Created")
	if err == nil && o.OutTerminal && !o.Quiet && !o.JSON.Given {
		o.Messagef("put a post into it: schedctl post create \"Hello\" --to ACCOUNT --queue %s", made.Queue.ID)
	}
	return err
}
