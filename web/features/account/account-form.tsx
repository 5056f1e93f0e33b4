/** A form of the account pages, without the browser's own validation. */
import type { ReactNode } from 'react';
import { focusFirstError } from '#web/ui/input/refusal.tsx';

export function AccountForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  return (
    <form
      className="stack14"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        onSubmit();
        // After the problems are shown.
        requestAnimationFrame(() => focusFirstError(form));
      }}
    >
      {children}
    </form>
  );
}
