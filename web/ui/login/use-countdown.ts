/** Counts whole seconds down to zero. */
import { useEffect, useState } from 'react';

export function useCountdown(initialSeconds = 0): [secondsLeft: number, start: (seconds: number) => void] {
  const [{ endsAt, now }, setTimes] = useState(() => timesFrom(initialSeconds));
  const left = Math.max(0, Math.ceil((endsAt - now) / 1000));
  const running = left > 0;
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setTimes((times) => ({ ...times, now: Date.now() })), 250);
    return () => clearInterval(timer);
  }, [running]);
  return [left, (seconds) => setTimes(timesFrom(seconds))];
}

function timesFrom(seconds: number): { endsAt: number; now: number } {
  const now = Date.now();
  return { now, endsAt: now + seconds * 1000 };
}
