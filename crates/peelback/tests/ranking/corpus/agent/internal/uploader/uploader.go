// Package uploader brings spooled scans to the tracking service.
package uploader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	"harbor.example/agent/internal/queue"
)

const batchSize = 200

// ErrRefused means that the server will never take this batch.
var ErrRefused = errors.New("batch refused")

// TokenProvider is what the uploader needs of the session.
type TokenProvider interface {
	Token(ctx context.Context) (string, error)
}

// Uploader empties a spool into the service.
type Uploader struct {
	Spool   *queue.Spool
	Tokens  TokenProvider
	BaseURL string
	Client  *http.Client
	Backoff *Backoff
}

// Run flushes every interval until the context ends.
func (u *Uploader) Run(ctx context.Context, interval time.Duration) {
	for {
		wait := interval
		if err := u.Flush(ctx); err != nil {
			wait = u.Backoff.Next()
			log.Printf("uploader: %v, next try in %s", err, wait.Round(time.Second))
		} else {
			u.Backoff.Reset()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// Flush sends what is waiting; scans that could not be sent go back to the spool.
func (u *Uploader) Flush(ctx context.Context) error {
	scans, err := u.Spool.Drain()
	if err != nil {
		return err
	}
	for len(scans) > 0 {
		n := min(batchSize, len(scans))
		err := u.post(ctx, scans[:n])
		if errors.Is(err, ErrRefused) {
			log.Printf("uploader: dropping %d scans: %v", n, err)
		} else if err != nil {
			return errors.Join(err, u.putBack(scans))
		}
		scans = scans[n:]
	}
	return nil
}

func (u *Uploader) putBack(scans []queue.Scan) error {
	for _, scan := range scans {
		if err := u.Spool.Append(scan); err != nil {
			return err
		}
	}
	return nil
}

func (u *Uploader) post(ctx context.Context, scans []queue.Scan) error {
	token, err := u.Tokens.Token(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"scans": scans})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.BaseURL+"/v3/scans", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := u.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode < 300:
		return nil
	case response.StatusCode == http.StatusUnprocessableEntity:
		return ErrRefused
	default:
		return fmt.Errorf("server answered %s", response.Status)
	}
}
