/** Opens the chat page after a visible countdown, unless the user cancels it. */
import { useEffect, useEffectEvent, useState } from 'react';

const TICK_MILLISECONDS = 100;

export interface Redirect {
  /** Left, with one decimal. */
  seconds: string;
  isStaying: boolean;
  stay: () => void;
}

export function useRedirect(milliseconds: number, go: () => void): Redirect {
  const [left, setLeft] = useState(milliseconds);
  const [isStaying, setStaying] = useState(false);
  const finish = useEffectEvent(go);
  useEffect(() => {
    if (isStaying) return undefined;
    const until = performance.now() + milliseconds;
    const timer = setInterval(() => {
      const rest = until - performance.now();
      setLeft(Math.max(0, rest));
      if (rest > 0) return;
      clearInterval(timer);
      finish();
    }, TICK_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isStaying, milliseconds]);
  return { seconds: (left / 1000).toFixed(1), isStaying, stay: () => setStaying(true) };
}
