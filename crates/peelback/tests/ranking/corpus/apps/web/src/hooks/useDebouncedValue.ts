import { useEffect, useRef, useState } from "react";

/**
 * Follows a value, but only once it has kept still for `delayMs`. The first
 * value is passed on at once.
 */
export function useDebouncedValue<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);

  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);

  return settled;
}

/**
 * A function that runs at most once in `intervalMs`; the last call is never
 * lost, it runs at the end of the interval. For scroll and resize handlers.
 */
export function useThrottled<A extends unknown[]>(
  callback: (...args: A) => void,
  intervalMs: number,
): (...args: A) => void {
  const latest = useRef(callback);
  const lastRun = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  latest.current = callback;

  useEffect(() => () => clearTimeout(timer.current), []);

  return (...args: A) => {
    const left = intervalMs - (Date.now() - lastRun.current);
    clearTimeout(timer.current);
    if (left <= 0) {
      lastRun.current = Date.now();
      latest.current(...args);
      return;
    }
    timer.current = setTimeout(() => {
      lastRun.current = Date.now();
      latest.current(...args);
    }, left);
  };
}
