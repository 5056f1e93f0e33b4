/** Renders only the visible rows; two empty rows take the height of the others. */
import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, RefObject } from 'react';

interface VirtualRowsProps {
  count: number;
  scroller: RefObject<HTMLElement | null>;
  children: (from: number, to: number) => ReactNode;
}

export default function VirtualRows({ count, scroller, children }: VirtualRowsProps) {
  // Follows the chosen density.
  const height = Number.parseInt(
    getComputedStyle(document.documentElement).getPropertyValue('--height-row'),
    10,
  );
  // oxlint-disable-next-line react/incompatible-library -- the console is built without the React compiler
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  if (!first || !last) return null;
  const below = virtualizer.getTotalSize() - last.end;
  return (
    <>
      {first.start > 0 ? <tr aria-hidden style={{ height: first.start }} /> : null}
      {children(first.index, last.index + 1)}
      {below > 0 ? <tr aria-hidden style={{ height: below }} /> : null}
    </>
  );
}
