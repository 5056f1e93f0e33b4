/** The width of drawers: dragged or moved with the arrow keys, kept in the browser. */
import { useState, type KeyboardEvent, type PointerEvent } from 'react';

export const DRAWER_MIN_WIDTH = 480;
export const DRAWER_MAX_WIDTH = 640;
const KEY = 'drawer-width';

function clamp(width: number): number {
  return Math.min(DRAWER_MAX_WIDTH, Math.max(DRAWER_MIN_WIDTH, Math.round(width)));
}

export function useDrawerWidth(label: string) {
  const [width, setWidth] = useState(() => clamp(Number(localStorage.getItem(KEY)) || DRAWER_MIN_WIDTH));
  const change = (next: number) => {
    const clamped = clamp(next);
    setWidth(clamped);
    localStorage.setItem(KEY, String(clamped));
  };
  const handleProps = {
    role: 'separator',
    tabIndex: 0,
    'aria-orientation': 'vertical',
    'aria-label': label,
    'aria-valuemin': DRAWER_MIN_WIDTH,
    'aria-valuemax': DRAWER_MAX_WIDTH,
    'aria-valuenow': width,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) change(window.innerWidth - event.clientX);
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (event.key === 'ArrowLeft') change(width + 16);
      else if (event.key === 'ArrowRight') change(width - 16);
      else return;
      event.preventDefault();
    },
  } as const;
  return { width, handleProps };
}
