/** An open dashboard moves its span to now every so many minutes, as the operator set it; the figures follow. */
import { useEffect } from 'react';

export function useRefresh(minutes: number | undefined, setNow: (seconds: number) => void): void {
  useEffect(() => {
    if (!minutes) return undefined;
    const timer = setInterval(() => setNow(Math.floor(Date.now() / 1000)), minutes * 60_000);
    return () => clearInterval(timer);
  }, [minutes, setNow]);
}
