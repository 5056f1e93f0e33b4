/** Sentences for screen readers that nothing on the screen says in words: the page that opened, a copy that was made. */
import { useSyncExternalStore } from 'react';

/** Afterwards the same sentence can be announced again. */
const KEPT_MILLISECONDS = 3000;

let sentence = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(next: string): void {
  sentence = next;
  for (const listener of listeners) listener();
}

export function announce(text: string): void {
  clearTimeout(timer);
  set(text);
  timer = setTimeout(() => set(''), KEPT_MILLISECONDS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** For the one region that is announced. */
export function useAnnouncement(): string {
  return useSyncExternalStore(subscribe, () => sentence);
}
