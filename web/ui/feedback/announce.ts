/** Sentences for screen readers that nothing on the screen says in words: the page that opened, a copy that was made. */
import { useSyncExternalStore } from 'react';

let sentence = '';
let notify = () => {};

/** The same sentence again is a change: an invisible character tells the two apart. */
export function announce(text: string): void {
  sentence = sentence === text ? `${text}\u200B` : text;
  notify();
}

function subscribe(listener: () => void): () => void {
  notify = listener;
  return () => {};
}

/** For the one region that is announced. */
export const useAnnouncement = () => useSyncExternalStore(subscribe, () => sentence);
