/** The dialog for a custom range, loaded on demand. */
import { lazy, Suspense, useState, type ReactNode } from 'react';
import type { TimeRange } from './time-range.ts';

const RangeDialog = lazy(() => import('./range-dialog.tsx').then((file) => ({ default: file.RangeDialog })));

interface CustomRange {
  open: () => void;
  /** For the page to show. */
  dialog: ReactNode;
}

/** `range`: the initial value of the dialog. */
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
