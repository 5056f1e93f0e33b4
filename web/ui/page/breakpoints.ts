/** The widths at which the console changes shape. */
import { useMediaQuery } from '@mantine/hooks';

/** Below: bottom bar, cards instead of rows. */
export const PHONE_QUERY = '(max-width: 767px)';
/** Below: the side menu starts collapsed. */
export const NARROW_QUERY = '(max-width: 1023px)';
/** Below: the top bar has no room for all of its links. */
export const TIGHT_QUERY = '(max-width: 1279px)';
/** From this width on a drawer pushes the list aside; below it covers the list. */
export const PUSH_QUERY = '(min-width: 1280px)';

const IMMEDIATELY = { getInitialValueInEffect: false };

export function usePhone(): boolean {
  return useMediaQuery(PHONE_QUERY, false, IMMEDIATELY);
}

export function useNarrow(): boolean {
  return useMediaQuery(NARROW_QUERY, false, IMMEDIATELY);
}

export function useTight(): boolean {
  return useMediaQuery(TIGHT_QUERY, false, IMMEDIATELY);
}

export function usePushesDrawer(): boolean {
  return useMediaQuery(PUSH_QUERY, true, IMMEDIATELY);
}
