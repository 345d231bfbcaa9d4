const DAY_MS = 86_400_000;

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** "today", "tomorrow", "in 3 days", or the date when it is further away. */
export function relativeDay(date: Date, now: Date = new Date(), locale = "en-GB"): string {
  const days = Math.round((startOfDay(date) - startOfDay(now)) / DAY_MS);
  if (Math.abs(days) > 6) return shortDate(date, locale);
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(days, "day");
}

export function shortDate(date: Date, locale = "en-GB"): string {
  return new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    year: date.getFullYear() === new Date().getFullYear() ? undefined : "numeric",
  }).format(date);
}

/** A delivery window such as "10:00–12:30", without repeating the date. */
export function timeWindow(from: Date, until: Date, locale = "en-GB"): string {
  const format = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
  return `${format.format(from)}–${format.format(until)}`;
}

/** How long ago the last scan was: "just now", "5 min", "3 h", "2 d". */
export function ageOf(scan: Date, now: Date = new Date()): string {
  const minutes = Math.floor((now.getTime() - scan.getTime()) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / (24 * 60))} d`;
}
