import type { IncomingMessage, ServerResponse } from "node:http";
import { parse as parseUrl } from "./url.js";

export type Handler<P extends string = string> = (
  request: IncomingMessage & { params: Record<P, string> },
  response: ServerResponse,
) => void | Promise<void>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

export class Router {
  #routes = new Map<string, Array<{ pattern: RegExp; handler: Handler }>>();

  on(method: (typeof METHODS)[number], path: `/${string}`, handler: Handler): this {
    const pattern = new RegExp("^" + path.replace(/:(\w+)/g, "(?<$1>[^/]+)") + "/?$", "u");
    (this.#routes.get(method) ?? this.#routes.set(method, []).get(method)!).push({ pattern, handler });
    return this;
  }

  async dispatch(request: IncomingMessage, response: ServerResponse) {
    for (const { pattern, handler } of this.#routes.get(request.method ?? "GET") ?? []) {
      const match = pattern.exec(parseUrl(request.url).pathname);
      if (match?.groups) return await handler(Object.assign(request, { params: match.groups }), response);
    }
    response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("404\n");
  }
}
