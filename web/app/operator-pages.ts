/** Pages for people with rights alone: others read that they may not see them. */
import { isCurrent, NAVIGATION, type NavigationItem } from './navigation.ts';

/** Pages without a part for ordinary users; their rules decide by the role alone. */
const OPERATOR_PAGES: readonly string[] = [
  'channel',
  'redemption',
  'order',
  'suppliers',
  'margins',
  'user',
  'audit',
  'jobs',
  'nodes',
  'incidents',
  'prices',
  'rerating',
];

export function operatorItem(pathname: string): NavigationItem | undefined {
  return NAVIGATION.find((item) => OPERATOR_PAGES.includes(item.name) && isCurrent(item, pathname));
}
