// Package clock corrects the time of devices whose battery was out.
package clock

import (
	"net/http"
	"sort"
	"sync"
	"time"
)

const (
	keep      = 9
	tolerance = 2 * time.Second
)

// Estimator learns from the Date headers of the server how far the own clock
// is off. It trusts the median of the last answers, since a single one may
// have been held up on the way.
type Estimator struct {
	mu      sync.Mutex
	samples []time.Duration
	now     func() time.Time
}

// NewEstimator reads the device's own clock through now.
func NewEstimator(now func() time.Time) *Estimator {
	return &Estimator{now: now}
}

// Observe learns from one answer; sent is when its request went out.
func (e *Estimator) Observe(response *http.Response, sent time.Time) {
	server, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return
	}
	received := e.now()
	halfway := sent.Add(received.Sub(sent) / 2)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.samples = append(e.samples, server.Sub(halfway))
	if len(e.samples) > keep {
		e.samples = e.samples[1:]
	}
}

// Offset is what has to be added to the own clock.
func (e *Estimator) Offset() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.samples) == 0 {
		return 0
	}
	sorted := append([]time.Duration(nil), e.samples...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	median := sorted[len(sorted)/2]
	if median.Abs() < tolerance {
		return 0
	}
	return median
}

// Now is the corrected time, the one that scans are stamped with.
func (e *Estimator) Now() time.Time {
	return e.now().Add(e.Offset())
}
