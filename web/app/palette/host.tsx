/** Opens the palette on ⌘K or Ctrl K; its code is loaded on first use. */
import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Palette = lazy(() =>
  loadPart(() => import('./palette.tsx')).catch((error: unknown) => {
    takeTyped();
    throw error;
  }),
);

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
export const PALETTE_KEYS = isMac ? '⌘K' : 'Ctrl K';

let wanted = 0;
const listeners = new Set<() => void>();

/** What is typed before the palette has the keyboard. */
let typed = '';

function keepTyped(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (key === 'Escape') takeTyped();
  if (key.length !== 1 || ctrlKey || metaKey || altKey) return;
  typed += key;
  event.preventDefault();
  event.stopPropagation();
}

/** From now on keys go where they are typed. */
export function takeTyped(): string {
  window.removeEventListener('keydown', keepTyped, true);
  const text = typed;
  typed = '';
  return text;
}

export function openPalette(): void {
  window.addEventListener('keydown', keepTyped, true);
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
