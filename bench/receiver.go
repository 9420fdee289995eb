package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// receiverRole is the argument that makes this program the fake network: a
// server that says when each target arrived. It prints its address and ends
// with its standard input.
const receiverRole = "receiver"

// arrival is one publish call that the network saw.
type arrival struct {
	Target   string        `json:"target"`
	Lateness time.Duration `json:"lateness"` // after its time; negative when early
	Slow     bool          `json:"slow"`     // on the path that answers late
}

// slowAnswer is how long the network takes to answer on /slow.
const slowAnswer = 30 * time.Second

// runReceiver serves until its standard input ends. POST anything, GET /arrivals
// for all that came, DELETE /arrivals to forget them.
func runReceiver() error {
	var mu sync.Mutex // mu guards arrivals
	var arrivals []arrival
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		var body struct {
			ID        string    `json:"id"`
			PublishAt time.Time `json:"publish_at"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		slow := r.URL.Path == "/slow"
		mu.Lock()
		arrivals = append(arrivals, arrival{body.ID, now.Sub(body.PublishAt), slow})
		mu.Unlock()
		if slow {
			select {
			case <-time.After(slowAnswer):
			case <-r.Context().Done():
			}
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /arrivals", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		json.NewEncoder(w).Encode(arrivals)
	})
	mux.HandleFunc("DELETE /arrivals", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		arrivals = nil
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go http.Serve(l, mux)
	io.Copy(io.Discard, os.Stdin)
	return nil
}

// receiver is a fake network as a child process.
type receiver struct {
	*child
	url string
}

func startReceiver() (*receiver, error) {
	c, err := startChild(receiverRole)
	if err != nil {
		return nil, err
	}
	return &receiver{c, "http://" + c.address}, nil
}

// arrivals returns what has arrived since the last forget.
func (r *receiver) arrivals() (all []arrival, err error) {
	resp, err := http.Get(r.url + "/arrivals")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return all, json.NewDecoder(resp.Body).Decode(&all)
}

func (r *receiver) forget() error {
	req, err := http.NewRequest("DELETE", r.url+"/arrivals", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
