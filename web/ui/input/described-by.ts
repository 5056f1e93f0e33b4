/** Links a control to the sentences below it, which screen readers read after its name. */
import { useEffect } from 'react';

/** `notes` are the ids of elements, separated by spaces; empty for none. The control is often a child without access to them. */
export function useDescribedBy(controlId: string | undefined, notes: string): void {
  useEffect(() => {
    const control = controlId ? document.getElementById(controlId) : null;
    if (!control || notes === '') return undefined;
    control.setAttribute('aria-describedby', notes);
    return () => control.removeAttribute('aria-describedby');
  }, [controlId, notes]);
}
