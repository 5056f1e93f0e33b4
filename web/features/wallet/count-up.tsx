/** An amount that counts up to its value once; without motion it is shown at once. A new amount needs a new key. */
import { useReducedMotion } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';

const DURATION_MS = 600;

export function CountUp({ quota }: { quota: number }) {
  const display = useDisplay();
  const isStill = useReducedMotion();
  const [share, setShare] = useState(0);
  useEffect(() => {
    const start = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      const next = Math.min(1, (now - start) / DURATION_MS);
      setShare(next);
      if (next < 1) frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  const shown = isStill ? quota : Math.round(quota * (1 - (1 - share) ** 3));
  // Screen readers get the final amount only.
  return <b aria-hidden>+{renderQuota(shown, display)}</b>;
}
