/** The id of the thing whose page is open, as its address has it. */
import { useLocation } from '@tanstack/react-router';

const LONGEST_ID = 15;

/** `/order/17` → 17 for `/order`; undefined for the list and for what is no id, which the list answers. */
export function thingIdIn(pathname: string, list: string): number | undefined {
  if (!pathname.startsWith(`${list}/`)) return undefined;
  const rest = pathname.slice(list.length + 1).replace(/\/$/, '');
  return /^[1-9]\d*$/.test(rest) && rest.length <= LONGEST_ID ? Number(rest) : undefined;
}

export function useThingId(list: string): number | undefined {
  return useLocation({ select: ({ pathname }) => thingIdIn(pathname, list) });
}
