import { ApiError, NetworkError } from "./errors";

export interface RequestOptions {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  signal?: AbortSignal;
  /** Reads are tried again by default, writes never are. */
  retries?: number;
}

export interface TokenSource {
  current(): string | null;
  renew(): Promise<string | null>;
}

const RETRY_PAUSE_MS = 400;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Thin wrapper around fetch that knows our API's errors and tokens. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly tokens: TokenSource,
    private readonly fetchImpl: typeof fetch = fetch,
  ) {}

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.request<T>(path, { signal });
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.request<T>(path, { method: "POST", body });
  }

  async request<T>(path: string, options: RequestOptions = {}): Promise<T> {
    const method = options.method ?? "GET";
    let left = options.retries ?? (method === "GET" ? 2 : 0);
    let renewed = false;
    for (;;) {
      const response = await this.send(path, method, options).catch((cause) => {
        if (options.signal?.aborted || left <= 0) {
          throw new NetworkError(`${method} ${path} failed`, { cause });
        }
        return null;
      });
      if (response === null) {
        left -= 1;
        await pause(RETRY_PAUSE_MS);
        continue;
      }
      if (response.status === 401 && !renewed) {
        renewed = true;
        if (await this.tokens.renew()) continue;
      }
      if (response.status >= 500 && left > 0) {
        left -= 1;
        await pause(RETRY_PAUSE_MS);
        continue;
      }
      if (!response.ok) throw await ApiError.fromResponse(response);
      return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
    }
  }

  private send(path: string, method: string, options: RequestOptions): Promise<Response> {
    const headers: Record<string, string> = { Accept: "application/json" };
    const token = this.tokens.current();
    if (token) headers.Authorization = `Bearer ${token}`;
    if (options.body !== undefined) headers["Content-Type"] = "application/json";
    return this.fetchImpl(this.baseUrl + path, {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
    });
  }
}
