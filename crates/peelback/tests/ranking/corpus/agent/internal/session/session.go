// Package session signs the handheld in and keeps it signed in.
package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const earlyRenewal = 2 * time.Minute

// Session belongs to one driver on one device.
type Session struct {
	BaseURL string
	Device  string
	Client  *http.Client
	Now     func() time.Time

	mu      sync.Mutex
	pin     string
	token   string
	expires time.Time
}

type loginAnswer struct {
	Token     string `json:"token"`
	ExpiresIn int    `json:"expires_in"`
}

// SignIn remembers the PIN of the driver and fetches the first token.
func (s *Session) SignIn(ctx context.Context, pin string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pin = pin
	return s.fetch(ctx)
}

// SignOut forgets the driver, at the end of a shift.
func (s *Session) SignOut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pin, s.token, s.expires = "", "", time.Time{}
}

// Token is a valid bearer token, renewed shortly before it runs out.
func (s *Session) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pin == "" {
		return "", fmt.Errorf("session: nobody is signed in")
	}
	if s.Now().Add(earlyRenewal).Before(s.expires) {
		return s.token, nil
	}
	if err := s.fetch(ctx); err != nil {
		return "", err
	}
	return s.token, nil
}

func (s *Session) fetch(ctx context.Context) error {
	body, err := json.Marshal(map[string]string{"device": s.Device, "pin": s.pin})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL+"/auth/device", bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("session: sign-in answered %s", response.Status)
	}
	var answer loginAnswer
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	s.token = answer.Token
	s.expires = s.Now().Add(time.Duration(answer.ExpiresIn) * time.Second)
	return nil
}
