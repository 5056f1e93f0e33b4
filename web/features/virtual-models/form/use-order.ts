/** Rows that are put in order by dragging their handle, or by arrow keys on it. */
import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from 'react';

interface OrderOptions {
  count: number;
  onMove: (from: number, to: number) => void;
}

/** Where the row at `from` belongs: below each other row whose middle is above the pointer. Rows may have different heights. */
export function placeAt(
  rows: readonly Readonly<{ top: number; bottom: number }>[],
  from: number,
  y: number,
): number {
  return rows.filter(({ top, bottom }, index) => index !== from && (top + bottom) / 2 < y).length;
}

/** The list has `data-ordered`, each row `data-row`. */
export function useOrder({ count, onMove }: OrderOptions) {
  const latest = useRef(onMove);
  useEffect(() => {
    latest.current = onMove;
  });
  return (index: number) => ({
    onKeyDown: (event: KeyboardEvent) => {
      const to = event.key === 'ArrowUp' ? index - 1 : event.key === 'ArrowDown' ? index + 1 : -1;
      if (to < 0 || to >= count) return;
      event.preventDefault();
      onMove(index, to);
    },
    onPointerDown: (event: PointerEvent) => {
      const list = event.currentTarget.closest('[data-ordered]');
      if (list === null || event.button !== 0) return;
      let from = index;
      const drag = (over: globalThis.PointerEvent) => {
        const rows = [...list.querySelectorAll(':scope > [data-row]')];
        const to = placeAt(
          rows.map((row) => row.getBoundingClientRect()),
          from,
          over.clientY,
        );
        if (to === from) return;
        latest.current(from, to);
        from = to;
      };
      // The row is put elsewhere in the document while it is dragged, so that it cannot keep the pointer itself.
      const end = new AbortController();
      const { signal } = end;
      window.addEventListener('pointermove', drag, { signal });
      window.addEventListener('pointerup', () => end.abort(), { signal });
      window.addEventListener('pointercancel', () => end.abort(), { signal });
    },
  });
}
