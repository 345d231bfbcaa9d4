// Package health tells the depot whether a handheld needs attention.
package health

import (
	"encoding/json"
	"net/http"
	"sort"
	"sync"
	"time"
)

// Level of a finding, worst last.
type Level int

// The three levels of the traffic light on the depot's wall.
const (
	Good Level = iota
	Warning
	Bad
)

// Check looks at one thing and says how it is.
type Check func() (Level, string)

// Monitor runs its checks when it is asked.
type Monitor struct {
	mu      sync.Mutex
	checks  map[string]Check
	started time.Time
}

// NewMonitor starts the uptime.
func NewMonitor(now time.Time) *Monitor {
	return &Monitor{checks: map[string]Check{}, started: now}
}

// Register adds a check; a second one with the same name replaces the first.
func (m *Monitor) Register(name string, check Check) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checks[name] = check
}

// Overall is the worst level of all checks with the names that caused it.
func (m *Monitor) Overall() (Level, []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	worst := Good
	var guilty []string
	for name, check := range m.checks {
		level, text := check()
		if level > worst {
			worst, guilty = level, nil
		}
		if level == worst && level != Good {
			guilty = append(guilty, name+": "+text)
		}
	}
	sort.Strings(guilty)
	return worst, guilty
}

// ServeHTTP answers 503 when something is bad, for the watchdog of the dock.
func (m *Monitor) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	level, guilty := m.Overall()
	if level == Bad {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"level":  level,
		"issues": guilty,
		"uptime": time.Since(m.started).String(),
	})
}

// SpoolCheck warns before the scans fill the flash card.
func SpoolCheck(size func() int64, limit int64) Check {
	return func() (Level, string) {
		switch used := size(); {
		case used > limit*9/10:
			return Bad, "almost no room for scans"
		case used > limit/2:
			return Warning, "uploads are lagging"
		default:
			return Good, ""
		}
	}
}
