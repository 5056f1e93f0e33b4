/** Refetches the figures of an open dashboard at the interval set by the operator. */
import { useEffect, useEffectEvent } from 'react';

export function useRefresh(minutes: number | undefined, refresh: () => void): void {
  const read = useEffectEvent(refresh);
  useEffect(() => {
    if (!minutes) return undefined;
    const timer = setInterval(() => read(), minutes * 60_000);
    return () => clearInterval(timer);
  }, [minutes]);
}
