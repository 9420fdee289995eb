package oracle

import "time"

// ThreadScripts returns scripts about posts with several parts, by what happens in them.
// Account 1 takes a thread in one call, and account 2 recognizes repeated calls.
func ThreadScripts() map[string]Script {
	create := Step{
		Do: Verb(Create), Text: "apple", Thread: []string{"BANANA", "pineapple"}, Comment: "straw berry", Accounts: []int{0}, When: Now,
	}
	on := func(accounts ...int) Step {
		s := create
		s.Accounts = accounts
		return s
	}
	comment := create
	comment.Thread = nil
	rich := on(0, 1, 2)
	rich.Poll, rich.Preview, rich.Shown, rich.When, rich.In = 2, "card", [3]string{"spoilers", "unlisted", "en"}, Later, time.Minute
	rich.Own = []Own{{On: 1, Text: "Apple pie", NoThread: true, Poll: -1}, {On: 2, Thread: []string{"apple"}, Shown: [3]string{"", "direct", "de"}}}
	pass := func(d time.Duration) Step { return Step{Do: Pass, In: d} }
	mood := func(m Mood) Step { return Step{Do: SetMood, Mood: m} }
	retry, force, look, cancel := Step{Do: Verb(Retry)}, Step{Do: Verb(Retry), Force: true}, Step{Do: Verb(Timeline)}, Step{Do: Verb(Cancel)}
	other := Step{Do: Verb(Create), Text: "apple", Accounts: []int{0}, When: Later, In: time.Second}
	return map[string]Script{
		"edits": {
			rich, look,
			{Do: Verb(Edit), Thread: []string{"apple"}, Comment: removed, Poll: 1, Preview: "none", Shown: [3]string{removed, removed, "pt-BR"}},
			{Do: Verb(Edit), Thread: []string{"apple"}},
			{Do: Verb(Edit), Poll: -1, NoOwn: true},
			{Do: Verb(Edit), Accounts: []int{2, 0}, Own: []Own{{On: 1, Thread: []string{"pineapple"}}}},
			{Do: Verb(Edit), Accounts: []int{2}},
			{Do: AllPages, Query: Query{Text: "pine", Limit: 1}},
			{Do: Verb(Edit), NoThread: true},
			pass(time.Minute), look,
		},
		"all parts": {rich, other, pass(time.Minute), look, rich, {Do: Verb(Publish)}, look},
		"a cancel": {
			mood(Slow), on(0, 1), pass(13 * time.Second), cancel, pass(time.Minute), look,
			on(0), pass(25 * time.Second), cancel, pass(time.Minute), look, // during the last part of the thread
			comment, pass(time.Second), cancel, pass(time.Minute), look,
		},
		"a canceled comment": {
			{Do: SetMood, On: 2, Mood: Down}, {Do: Verb(Create), Text: "apple", Comment: "BANANA", Accounts: []int{0, 2}, When: Now},
			mood(Slow), pass(time.Second), pass(13 * time.Second), cancel, pass(time.Minute), look,
		},
		"a refusal": {
			mood(Slow), on(0, 1), other, pass(10 * time.Second), mood(Refusing), pass(5 * time.Second), look,
			mood(Accepting), retry, pass(time.Minute), look,
		},
		"a refused comment": {
			mood(Slow), comment, pass(10 * time.Second), mood(Refusing), pass(5 * time.Second), look, retry, look,
			mood(Accepting), retry, retry, pass(time.Second), look,
		},
		"a network that is down": {
			mood(Slow), create, other, pass(10 * time.Second), mood(Down), pass(10 * time.Minute), look, retry,
			mood(Accepting), pass(10 * time.Minute), look,
		},
		"errors between parts": {
			{Do: SetMood, On: 2, Mood: Slow}, on(2), {Do: Verb(Create), Text: "pineapple", Accounts: []int{2}, When: Later, In: time.Minute},
			pass(10 * time.Second), {Do: SetMood, On: 2, Mood: Dropping}, pass(23 * time.Hour), {Do: SetMood, On: 2, Mood: Accepting},
			pass(23 * time.Hour), look,
		},
		"an unknown outcome": {
			mood(Slow), create, other, pass(10 * time.Second), mood(NoResponse), pass(10 * time.Second), look, retry,
			mood(Accepting), force, pass(time.Minute), look,
		},
		"an unknown outcome of a comment": {
			mood(Slow), comment, pass(10 * time.Second), mood(Dropping), pass(10 * time.Second), look, retry,
			mood(Accepting), force, pass(time.Minute), look,
		},
		"a lost parent": {
			mood(Orphaning), on(0, 1), look, retry, mood(Accepting), force, look, comment,
			mood(Orphaning), comment, look, force,
		},
		"changed parts": {mood(Changing), on(0, 1), comment, look, other, pass(time.Minute), look},
		"a restart": {
			mood(Slow), on(0), other, pass(13 * time.Second), {Do: Restart, In: time.Hour}, look, force, pass(time.Minute), look,
			{Do: SetMood, On: 2, Mood: Slow}, on(2), pass(13 * time.Second), {Do: Restart}, pass(time.Minute), look,
		},
		"a part that is too late": {
			mood(Slow), create, comment, pass(10 * time.Second), mood(Locked), pass(5 * time.Second), pass(25 * time.Hour), look,
			mood(Accepting), {Do: Verb(Reconnect)}, retry, pass(time.Minute), look,
		},
		"an account that is removed": {
			mood(Slow), create, comment, pass(13 * time.Second), {Do: Verb(Disconnect)}, pass(time.Minute), look,
		},
	}
}
