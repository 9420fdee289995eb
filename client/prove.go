package client

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// ErrUnproven is wrapped by the [UnreachableError] of a client with [Config.Announced]
// if a different program listens at the address of the announced daemon. The client did
// not send it the API key.
var ErrUnproven = errors.New("what listens there is not the daemon that was announced")

// proofTimeout is how long the listener may take for its proof.
const proofTimeout = 5 * time.Second

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// provenDial returns a dial function that checks each connection against the current
// announcement. Every connection is checked: while the client runs, the daemon can
// end and another program can listen at its address.
func provenDial(dial dialFunc, announced func() (apiv1.Announced, error)) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if err := checkProof(c, address, announced); err != nil {
			c.Close()
			return nil, err
		}
		return c, nil
	}
}

// checkProof requires a proof that the other end of a connection is the announced daemon.
func checkProof(c net.Conn, host string, announced func() (apiv1.Announced, error)) error {
	said, err := announced()
	if err != nil {
		return err
	}
	if said.Secret == "" {
		return ErrUnproven
	}
	challenge := rand.Text()
	c.SetDeadline(time.Now().Add(proofTimeout))
	defer c.SetDeadline(time.Time{})
	text := "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n" + apiv1.ChallengeHeader + ": " + challenge + "\r\n\r\n"
	if _, err := c.Write([]byte(text)); err != nil {
		return fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	proof, err := readProof(c)
	if err != nil || !said.Proves(challenge, proof) {
		return errors.Join(ErrUnproven, err)
	}
	return nil
}

// maxProof is the maximum number of bytes read for a proof, so that an unknown program
// cannot fill the memory.
const maxProof = 64 << 10

// readProof reads one response to its end, so that the connection can be used.
func readProof(c io.Reader) (proof string, err error) {
	in := bufio.NewReader(io.LimitReader(c, maxProof))
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return "", err
	}
	if _, err = io.Copy(io.Discard, res.Body); err == nil && in.Buffered() > 0 {
		err = errors.New("there is more than one response")
	}
	return res.Header.Get(apiv1.ProofHeader), errors.Join(err, res.Body.Close())
}
