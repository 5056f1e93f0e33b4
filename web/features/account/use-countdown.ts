/** Counts whole seconds down to zero. */
import { useEffect, useState } from 'react';

export function useCountdown(): [secondsLeft: number, start: (seconds: number) => void] {
  const [endsAt, setEndsAt] = useState(0);
  const [now, setNow] = useState(0);
  const left = Math.max(0, Math.ceil((endsAt - now) / 1000));
  const running = left > 0;
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [running]);
  return [
    left,
    (seconds) => {
      const start = Date.now();
      setNow(start);
      setEndsAt(start + seconds * 1000);
    },
  ];
}
