// Package config reads the settings of the agent.
package config

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"time"
)

// Config is the content of agent.json.
type Config struct {
	BaseURL   string   `json:"base_url"`
	Hub       string   `json:"hub"`
	Device    string   `json:"device"`
	Port      string   `json:"port"`
	SpoolPath string   `json:"spool_path"`
	SpoolMax  int64    `json:"spool_max_bytes"`
	Interval  Duration `json:"upload_interval"`
}

// Duration is written as "30s" or "5m" in the file.
type Duration time.Duration

// UnmarshalJSON accepts a text with a unit.
func (d *Duration) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return fmt.Errorf("a duration must be a text such as \"30s\"")
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	*d = Duration(parsed)
	return nil
}

func defaults() Config {
	return Config{
		Port:      "/dev/ttyS1",
		SpoolPath: "/data/scans.jsonl",
		SpoolMax:  8 << 20,
		Interval:  Duration(30 * time.Second),
	}
}

// Load reads the file and fills in what it does not say.
func Load(path string) (Config, error) {
	config := defaults()
	raw, err := os.ReadFile(path)
	if err != nil {
		return config, fmt.Errorf("config: %w", err)
	}
	if err := json.Unmarshal(raw, &config); err != nil {
		return config, fmt.Errorf("config: %s: %w", path, err)
	}
	return config, config.check()
}

func (c Config) check() error {
	parsed, err := url.Parse(c.BaseURL)
	if err != nil || parsed.Host == "" {
		return fmt.Errorf("config: base_url %q is not an absolute URL", c.BaseURL)
	}
	if c.Hub == "" || c.Device == "" {
		return fmt.Errorf("config: hub and device must be set")
	}
	if time.Duration(c.Interval) < time.Second {
		return fmt.Errorf("config: upload_interval must be at least 1s")
	}
	return nil
}
