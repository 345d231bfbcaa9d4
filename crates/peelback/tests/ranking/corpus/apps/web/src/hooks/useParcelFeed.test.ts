import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FeedConnection } from "./useParcelFeed";

class FakeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor(readonly url: string) {}
  close() {
    this.onclose?.();
  }
}

describe("reconnecting the websocket of the parcel feed", () => {
  let sockets: FakeSocket[];
  const connect = (url: string) => {
    const socket = new FakeSocket(url);
    sockets.push(socket);
    return socket as unknown as WebSocket;
  };

  beforeEach(() => {
    vi.useFakeTimers();
    sockets = [];
  });
  afterEach(() => vi.useRealTimers());

  it("reconnects after the websocket was closed", () => {
    new FeedConnection("wss://feed", vi.fn(), connect).start();
    sockets[0].close();
    vi.advanceTimersByTime(1_000);
    expect(sockets).toHaveLength(2);
  });

  it("reconnects when no heartbeat was heard", () => {
    new FeedConnection("wss://feed", vi.fn(), connect).start();
    sockets[0].onopen?.();
    vi.advanceTimersByTime(47_000);
    expect(sockets.length).toBeGreaterThan(1);
  });

  it("asks for what it missed while the websocket was down", () => {
    const dispatch = vi.fn();
    new FeedConnection("wss://feed", dispatch, connect).start();
    const action = { type: "cancelConfirmed" };
    sockets[0].onmessage?.({ data: JSON.stringify({ id: 41, action }) });
    sockets[0].close();
    vi.advanceTimersByTime(1_000);
    expect(sockets[1].url).toBe("wss://feed?after=41");
    expect(dispatch).toHaveBeenCalledTimes(1);
  });
});
