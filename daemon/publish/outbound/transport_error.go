package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// TransportError returns the error of a connection to a server that does not use plain
// HTTP. wrote says whether a request may have been sent: the outcome is then unknown.
// The error contains neither the URL nor bytes from the server.
func TransportError(err error, host string, wrote bool) error {
	return transportError(err, host, wrote)
}

// transportError returns the error of a request without a response. It does not
// include the text of the net/http error, which contains the URL, possibly a secret,
// and bytes from the server.
func transportError(err error, host string, wrote bool) error {
	if errors.Is(err, ErrPlainHTTP) {
		return plainHTTP(host)
	}
	if wrote {
		return &publish.Error{
			Kind: schedctl.KindNetwork, Message: lostMessage(err, host), Outcome: schedctl.OutcomeUnknown, Err: safeCause(err),
		}
	}
	return &publish.Error{
		Kind: schedctl.KindNetwork, Message: unsentMessage(err, host), Outcome: schedctl.OutcomeNotPublished, Err: safeCause(err),
	}
}

// NoResponse describes, for users, why a request to a host got no response. err is
// the error of an [http.Client]. The text contains neither the URL, which may be a
// secret, nor bytes from the server.
func NoResponse(err error, host string) string {
	var op *net.OpError
	connecting := errors.As(err, &op) && op.Op == "dial" ||
		errors.As(err, new(*tls.CertificateVerificationError)) || errors.Is(err, http.ErrSchemeMismatch)
	if connecting {
		return unsentMessage(err, host)
	}
	return lostMessage(err, host)
}

// lostMessage describes why a request that was sent got no response.
func lostMessage(err error, host string) string {
	switch {
	case isTimeout(err):
		return fmt.Sprintf("%s did not respond in time", host)
	case errors.Is(err, context.Canceled):
		return fmt.Sprintf("the request to %s was canceled before a response arrived", host)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, new(*net.OpError)), isErrno(err):
		return fmt.Sprintf("%s closed the connection without a response", host)
	default:
		return fmt.Sprintf("%s gave no usable HTTP response", host)
	}
}

// unsentMessage describes why a request could not be sent.
func unsentMessage(err error, host string) string {
	var dns *net.DNSError
	var verification *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrPrivateAddress):
		return (&privateHostError{host, errors.Is(err, errForAgents)}).Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("no host is named %s; check the address", host)
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot resolve the name %s; check the address and the network connection", host)
	case errors.As(err, &verification):
		return fmt.Sprintf("the certificate of %s is not valid: %s", host, certificateFault(verification.Err))
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Sprintf("%s does not speak TLS; check whether its address starts with http://", host)
	case isTimeout(err):
		return fmt.Sprintf("connecting to %s timed out", host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("%s refused the connection; is the server running?", host)
	default:
		return fmt.Sprintf("cannot connect to %s", host)
	}
}

// certificateFault describes in a few words what is wrong with a certificate. It
// quotes nothing from the server.
func certificateFault(err error) string {
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return "it is for another host"
	case errors.As(err, &authority):
		return "it is signed by an unknown authority"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired or is not valid yet"
	default:
		return "it cannot be verified"
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &timeout) && timeout.Timeout())
}

func isErrno(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno)
}

// safeCause returns the part of err that may be logged. It contains neither the URL
// nor bytes from the server.
func safeCause(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	var op *net.OpError
	switch {
	case errors.As(err, &op), isErrno(err), isTimeout(err), errors.Is(err, context.Canceled), errors.Is(err, io.EOF):
		return err
	default:
		return fmt.Errorf("%T", err)
	}
}
