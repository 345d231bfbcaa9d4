package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// ErrDraining is what calls get while the server shuts down.
var ErrDraining = errors.New("server: draining")

type Server struct {
	mux      *http.ServeMux
	inflight atomic.Int64
	timeout  time.Duration `json:"timeout,omitempty"`
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	if n := s.inflight.Add(1); n > 1<<12 {
		http.Error(w, fmt.Sprintf("%v: %d calls", ErrDraining, n), http.StatusServiceUnavailable)
		return
	}
	defer s.inflight.Add(-1)
	s.mux.ServeHTTP(w, r.WithContext(ctx))
}
