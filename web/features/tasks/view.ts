/** Table or gallery: chosen once, kept in this browser. */
import { useState } from 'react';

export const VIEWS = ['table', 'gallery'] as const;
export type View = (typeof VIEWS)[number];

const KEY = 'tasks-view';

export function useView(): [View, (view: View) => void] {
  const [view, setView] = useState<View>(() =>
    localStorage.getItem(KEY) === 'gallery' ? 'gallery' : 'table',
  );
  const change = (next: View) => {
    localStorage.setItem(KEY, next);
    setView(next);
  };
  return [view, change];
}
