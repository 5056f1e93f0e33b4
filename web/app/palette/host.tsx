/** Opens the palette on ⌘K or Ctrl K; its code is loaded on first use. */
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Palette = lazy(() => loadPart(() => import('./palette.tsx')));

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
export const PALETTE_KEYS = isMac ? '⌘K' : 'Ctrl K';

let wanted = 0;
const listeners = new Set<() => void>();

export function openPalette(): void {
  wanted += 1;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function PaletteHost() {
  const times = useSyncExternalStore(subscribe, () => wanted);
  useHotkeys([['mod+K', openPalette]], []);
  if (times === 0) return null;
  return (
    <Suspense>
      <Palette key={times} />
    </Suspense>
  );
}
