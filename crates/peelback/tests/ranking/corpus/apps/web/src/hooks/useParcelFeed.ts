import { useEffect } from "react";
import type { ParcelAction } from "../state/parcelStore";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const SILENCE_MS = 45_000;

type Dispatch = (action: ParcelAction) => void;

/**
 * The live feed of scans. The server sends a heartbeat every 20 seconds; when
 * nothing at all was heard for a while the line is taken for dead.
 */
export class FeedConnection {
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private lastId = 0;
  private stopped = false;

  constructor(
    private readonly url: string,
    private readonly dispatch: Dispatch,
    private readonly open: (url: string) => WebSocket = (target) => new WebSocket(target),
  ) {}

  start(): void {
    if (this.stopped) return;
    const socket = this.open(`${this.url}?after=${this.lastId}`);
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.listen();
    };
    socket.onmessage = (event) => this.receive(String(event.data));
    socket.onclose = () => this.comeBack();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.silence);
    clearTimeout(this.again);
    this.socket?.close();
  }

  private receive(data: string): void {
    this.listen();
    if (data === "ping") return;
    const message = JSON.parse(data) as { id: number; action: ParcelAction };
    if (message.id <= this.lastId) return;
    this.lastId = message.id;
    this.dispatch(message.action);
  }

  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.socket?.close(), SILENCE_MS);
  }

  /** Opens the line anew, with longer and longer waits. */
  private comeBack(): void {
    clearTimeout(this.silence);
    if (this.stopped) return;
    const spread = this.wait * (0.5 + Math.random() / 2);
    this.again = setTimeout(() => this.start(), spread);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
  }
}

export function useParcelFeed(url: string, dispatch: Dispatch): void {
  useEffect(() => {
    const feed = new FeedConnection(url, dispatch);
    feed.start();
    return () => feed.stop();
  }, [url, dispatch]);
}
