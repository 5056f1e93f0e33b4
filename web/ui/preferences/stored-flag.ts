/** A switch of the page, stored in the browser. */
import { useState } from 'react';

export function readFlag(key: string, initial: boolean, storage: Pick<Storage, 'getItem'>): boolean {
  const stored = storage.getItem(key);
  return stored === null ? initial : stored === 'true';
}

export function useStoredFlag(key: string, initial: boolean): [boolean, (on: boolean) => void] {
  const [on, setOn] = useState(() => readFlag(key, initial, localStorage));
  return [
    on,
    (next) => {
      localStorage.setItem(key, String(next));
      setOn(next);
    },
  ];
}
