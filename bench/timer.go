package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// timerRole is the argument that makes this program a scheduler without a store: a loop
// over a sorted list that passes each due post to the goroutine of its account, which
// publishes it as the daemon does and waits for the response. This is the least that
// any scheduler does; it stores nothing.
const timerRole = "timer"

// timerOrder is a list of posts for a timer. The posts go to the accounts in turn.
type timerOrder struct {
	URL      string         `json:"url"`
	Accounts int            `json:"accounts"`
	Posts    []numberedPost `json:"posts"`
}

// numberedPost is a post with its due time.
type numberedPost struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
}

// contentOf returns the content of a post, by which the network identifies it.
func contentOf(number int) string { return fmt.Sprintf("post %d", number) }

// runTimer serves until its standard input is closed. POST accepts an order and
// responds at once.
func runTimer() error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}}
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	defer working.Wait()
	defer cancel()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		var o timerOrder
		if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		working.Go(func() {
			if err := o.run(ctx, client); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	})
	return child.Serve(mux)
}

// run publishes the posts of an order on time, until ctx ends. Its error describes the
// failed calls.
func (o *timerOrder) run(ctx context.Context, client *http.Client) error {
	slices.SortFunc(o.Posts, func(a, b numberedPost) int { return a.At.Compare(b.At) })
	accounts := make([]chan numberedPost, min(o.Accounts, len(o.Posts)))
	failed := make([]error, len(accounts))
	var working sync.WaitGroup
	for i := range accounts {
		accounts[i] = make(chan numberedPost, len(o.Posts)/len(accounts)+1)
		working.Go(func() {
			for p := range accounts[i] {
				if err := o.send(client, p); err != nil {
					failed[i] = errors.Join(failed[i], fmt.Errorf("post %d: %w", p.Number, err))
				}
			}
		})
	}
	for i, p := range o.Posts {
		if sleepUntil(ctx, p.At) != nil {
			break
		}
		accounts[i%len(accounts)] <- p
	}
	for _, a := range accounts {
		close(a)
	}
	working.Wait()
	return errors.Join(failed...)
}

// sleepUntil sleeps until an instant, or returns the error of ctx.
func sleepUntil(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send makes one call.
func (o *timerOrder) send(client *http.Client, p numberedPost) error {
	body, err := json.Marshal(map[string]any{
		"id": fmt.Sprint(p.Number), "post_id": fmt.Sprint(p.Number), "content": contentOf(p.Number), "publish_at": p.At.UTC(),
		"attempt": 1, "account": map[string]string{"id": "timer", "name": "timer"},
	})
	if err != nil {
		return err
	}
	resp, err := client.Post(o.URL, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("status %s", resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// timer is a timer in a child process.
type timer struct{ *child.Role }

func startTimer() (*timer, error) {
	r, err := child.StartRole(timerRole)
	return &timer{r}, err
}

// take passes an order to the timer.
func (t *timer) take(o timerOrder) error {
	if len(o.Posts) == 0 {
		return errors.New("an order without posts")
	}
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	resp, err := http.Post("http://"+t.Address, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the timer returned %s", resp.Status)
	}
	return nil
}
