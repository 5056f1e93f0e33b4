/** The dialog for a range of one's own, loaded when it is asked for. */
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { TimeRange } from './time-range.ts';

const RangeDialog = lazy(() => import('./range-dialog.tsx').then((file) => ({ default: file.RangeDialog })));

interface CustomRange {
  open: () => void;
  /** For the page to show. */
  dialog: ReactNode;
}

/** `range`: what the dialog begins with. */
export function useCustomRange(range: TimeRange, onApply: (range: TimeRange) => void): CustomRange {
  const [isOpen, setOpen] = useState(false);
  const apply = (chosen: TimeRange) => {
    setOpen(false);
    onApply(chosen);
  };
  return {
    open: () => setOpen(true),
    dialog: isOpen ? (
      <Suspense>
        <RangeDialog range={range} onClose={() => setOpen(false)} onApply={apply} />
      </Suspense>
    ) : null,
  };
}
