/**
 * On a slow network a save may be answered after its drawer was closed. Its callback must not run then: it would close a
 * drawer that was opened since, or change the address of another page.
 */
import { useEffect, useRef } from 'react';

export function useWhileShown<Args extends unknown[]>(
  callback: (...args: Args) => void,
): (...args: Args) => void {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return (...args) => {
    if (isShown.current) callback(...args);
  };
}
