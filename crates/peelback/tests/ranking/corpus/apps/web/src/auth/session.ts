import type { TokenSource } from "../api/client";

interface StoredSession {
  token: string;
  expiresAt: number;
}

const STORAGE_KEY = "harbor.session";
const LOCK_KEY = "harbor.session.lock";
const LOCK_MS = 8_000;
const RENEW_BEFORE_MS = 90_000;

type Fetcher = (path: string) => Promise<{ token: string; expires_in: number }>;

/**
 * Keeps the login of this browser alive.
 *
 * All tabs share one session in localStorage. Only the tab that holds the lock
 * asks the server for the next token; the others pick it up from storage.
 */
export class SessionManager implements TokenSource {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly tabId = Math.random().toString(36).slice(2);

  constructor(
    private readonly storage: Storage,
    private readonly fetcher: Fetcher,
    private readonly now: () => number = Date.now,
  ) {}

  current(): string | null {
    const session = this.read();
    return session && session.expiresAt > this.now() ? session.token : null;
  }

  async renew(): Promise<string | null> {
    if (!this.takeLock()) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return this.current();
    }
    try {
      const answer = await this.fetcher("/auth/renew");
      this.write({ token: answer.token, expiresAt: this.now() + answer.expires_in * 1000 });
      this.schedule();
      return answer.token;
    } catch {
      return null;
    } finally {
      this.storage.removeItem(LOCK_KEY);
    }
  }

  schedule(): void {
    clearTimeout(this.timer);
    const session = this.read();
    if (!session) return;
    const wait = Math.max(0, session.expiresAt - this.now() - RENEW_BEFORE_MS);
    this.timer = setTimeout(() => void this.renew(), wait);
  }

  signOut(): void {
    clearTimeout(this.timer);
    this.storage.removeItem(STORAGE_KEY);
  }

  private takeLock(): boolean {
    const held = this.storage.getItem(LOCK_KEY);
    if (held) {
      const [owner, until] = held.split(":");
      if (owner !== this.tabId && Number(until) > this.now()) return false;
    }
    this.storage.setItem(LOCK_KEY, `${this.tabId}:${this.now() + LOCK_MS}`);
    return true;
  }

  private read(): StoredSession | null {
    const raw = this.storage.getItem(STORAGE_KEY);
    if (!raw) return null;
    try {
      return JSON.parse(raw) as StoredSession;
    } catch {
      return null;
    }
  }

  private write(session: StoredSession): void {
    this.storage.setItem(STORAGE_KEY, JSON.stringify(session));
  }
}
