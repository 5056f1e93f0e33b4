/** Named filters and settings, stored in this browser, newest first. */
import { useState } from 'react';

export interface SavedView<Value> {
  name: string;
  value: Value;
}

const MOST = 30;
export const VIEW_NAME_LENGTH = 40;

/** Invalid entries are left out. */
export function readSavedViews<Value>(
  text: string | null,
  read: (value: unknown) => Value | undefined,
): SavedView<Value>[] {
  let list: unknown;
  try {
    list = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(list)) return [];
  return list.slice(0, MOST).flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('name' in entry) || !('value' in entry)) return [];
    const value = read(entry.value);
    if (typeof entry.name !== 'string' || entry.name === '' || value === undefined) return [];
    return [{ name: entry.name.slice(0, VIEW_NAME_LENGTH), value }];
  });
}

/** An existing name gets the new value. */
export function addSavedView<Value>(
  list: readonly SavedView<Value>[],
  name: string,
  value: Value,
): SavedView<Value>[] {
  return [{ name, value }, ...list.filter((entry) => entry.name !== name)].slice(0, MOST);
}

export function useSavedViews<Value>(key: string, read: (value: unknown) => Value | undefined) {
  const [list, setList] = useState(() => readSavedViews(localStorage.getItem(key), read));
  const store = (next: SavedView<Value>[]) => {
    localStorage.setItem(key, JSON.stringify(next));
    setList(next);
  };
  return {
    list,
    save: (name: string, value: Value) => store(addSavedView(list, name, value)),
    remove: (name: string) => store(list.filter((entry) => entry.name !== name)),
  };
}
