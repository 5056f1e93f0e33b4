/** The keys of every list. They are off while the user types and while a dialog or menu is open. */
import { useEffect, useRef } from 'react';

export interface GridKeys {
  search: () => void;
  move: (step: 1 | -1) => void;
  open: () => void;
  edit: () => void;
  select: () => void;
  refresh: () => void;
  help: () => void;
  escape: () => boolean;
}

export const KEYS_SCOPE = 'list-keys';

/** People who dictate, or press keys by accident, can limit the keys to a focused row. */
export const keysWorkEverywhere = (): boolean => localStorage.getItem(KEYS_SCOPE) !== 'row';

const isOnRow = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[data-row-index]') !== null;

function isBusy(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.closest(
      'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"]',
    )
  ) {
    return true;
  }
  return document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
}

/** Enter and Space belong to a focused control; the other keys do not. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, a, input, [role="separator"]') !== null;
}

function actionOf(event: KeyboardEvent, keys: GridKeys): (() => void) | undefined {
  switch (event.key) {
    case '/':
      return keys.search;
    case 'ArrowDown':
    case 'j':
      return () => keys.move(1);
    case 'ArrowUp':
    case 'k':
      return () => keys.move(-1);
    case 'Enter':
      return isControl(event.target) ? undefined : keys.open;
    case ' ':
      return isControl(event.target) ? undefined : keys.select;
    case 'e':
    case 'E':
      return keys.edit;
    case 'r':
    case 'R':
      return keys.refresh;
    case '?':
      return keys.help;
    default:
      return undefined;
  }
}

export function useGridKeys(keys: GridKeys): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isBusy(event.target)) return;
      if (event.key === 'Escape') {
        if (current.current.escape()) event.preventDefault();
        return;
      }
      if (event.key.length === 1 && !isOnRow(event.target) && !keysWorkEverywhere()) return;
      const action = actionOf(event, current.current);
      if (!action) return;
      event.preventDefault();
      action();
    };
    // Capture: a selection is cleared before an open drawer sees the same Escape.
    document.addEventListener('keydown', listen, true);
    return () => document.removeEventListener('keydown', listen, true);
  }, []);
}
