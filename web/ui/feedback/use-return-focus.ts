/** For a dialog that is mounted open: gives the focus back to what opened it. Mantine does so only for one that stays mounted. */
import { useLayoutEffect } from 'react';

/** An entry of a menu is gone by then; the button of the menu is not. */
function lasting(element: Element | null): HTMLElement | null {
  const menu = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = menu ? document.getElementById(menu) : element;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}

export function useReturnFocus(): void {
  // Before the focus trap of the dialog takes the focus.
  useLayoutEffect(() => {
    const opener = lasting(document.activeElement);
    return () => {
      // After the dialog has left: its focus trap would take the focus back.
      setTimeout(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (isLost && opener?.isConnected) opener.focus({ preventScroll: true });
      });
    };
  }, []);
}
