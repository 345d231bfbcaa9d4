import { beforeEach, describe, expect, it, vi } from "vitest";
import { SessionManager } from "./session";

class FakeStorage implements Storage {
  private items = new Map<string, string>();
  get length() {
    return this.items.size;
  }
  clear() {
    this.items.clear();
  }
  getItem(key: string) {
    return this.items.get(key) ?? null;
  }
  key(index: number) {
    return [...this.items.keys()][index] ?? null;
  }
  removeItem(key: string) {
    this.items.delete(key);
  }
  setItem(key: string, value: string) {
    this.items.set(key, value);
  }
}

describe("renewing the login session in several tabs", () => {
  let storage: FakeStorage;

  beforeEach(() => {
    storage = new FakeStorage();
  });

  it("renews the token of the session", async () => {
    const session = new SessionManager(storage, async () => ({ token: "t1", expires_in: 900 }));
    expect(await session.renew()).toBe("t1");
    expect(session.current()).toBe("t1");
    session.signOut();
  });

  it("lets only one tab renew the session while the lock is held", async () => {
    const fetcher = vi.fn(async () => ({ token: "t2", expires_in: 900 }));
    storage.setItem("harbor.session.lock", `other:${Date.now() + 5000}`);
    const session = new SessionManager(storage, fetcher);
    expect(await session.renew()).toBeNull();
    expect(fetcher).not.toHaveBeenCalled();
  });

  it("has no current token once the session has expired", () => {
    storage.setItem("harbor.session", JSON.stringify({ token: "old", expiresAt: 10 }));
    const session = new SessionManager(storage, async () => ({ token: "x", expires_in: 1 }), () => 11);
    expect(session.current()).toBeNull();
  });
});
