import type { SessionManager } from "./session";

export type Role = "viewer" | "driver" | "dispatcher" | "depot_manager" | "admin";

export interface RouteRule {
  prefix: string;
  roles: Role[];
}

const RULES: RouteRule[] = [
  { prefix: "/track", roles: [] },
  { prefix: "/admin", roles: ["admin"] },
  { prefix: "/staff", roles: ["depot_manager", "admin"] },
  { prefix: "/routes", roles: ["driver", "dispatcher", "depot_manager", "admin"] },
  { prefix: "/", roles: ["viewer", "driver", "dispatcher", "depot_manager", "admin"] },
];

export type Decision = { go: true } | { go: false; redirect: string };

function rolesIn(token: string): Role[] {
  try {
    const body = token.split(".")[0].replace(/-/g, "+").replace(/_/g, "/");
    const claims = JSON.parse(atob(body)) as { roles?: Role[] };
    return claims.roles ?? [];
  } catch {
    return [];
  }
}

function ruleFor(path: string): RouteRule {
  const rule = RULES.find((candidate) => path.startsWith(candidate.prefix));
  return rule ?? RULES[RULES.length - 1];
}

/**
 * Decides whether a page may be opened. The server checks again, this is only
 * to spare people a page full of error banners.
 */
export function mayEnter(path: string, session: SessionManager): Decision {
  const rule = ruleFor(path);
  if (rule.roles.length === 0) return { go: true };
  const token = session.current();
  if (!token) {
    return { go: false, redirect: `/login?next=${encodeURIComponent(path)}` };
  }
  const own = rolesIn(token);
  if (rule.roles.some((role) => own.includes(role))) return { go: true };
  return { go: false, redirect: "/not-allowed" };
}

/** The page to show after a login; never one of another site. */
export function safeNext(query: string): string {
  const next = new URLSearchParams(query).get("next") ?? "/";
  return next.startsWith("/") && !next.startsWith("//") ? next : "/";
}
