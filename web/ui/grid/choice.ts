/** The user's column choice per list, kept in the browser. */
import { useState } from 'react';
import type { ColumnChoice } from './fit.ts';

function read(key: string): ColumnChoice {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    );
  } catch {
    return {};
  }
}

export function useColumnChoice(name: string): [ColumnChoice, (choice: ColumnChoice) => void] {
  const key = `columns-${name}`;
  const [choice, setChoice] = useState(() => read(key));
  return [
    choice,
    (next) => {
      setChoice(next);
      if (Object.keys(next).length === 0) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(next));
    },
  ];
}
