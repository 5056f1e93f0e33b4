/** Pages for people with rights alone: others read that they may not see them. */
import { isCurrent, NAVIGATION, type NavigationItem } from './navigation.ts';

/** Pages without a part for ordinary users; their rules decide by the role alone. */
const OPERATOR_PAGES: readonly string[] = [
  'channel',
  'model',
  'virtualModel',
  'shadowCalls',
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

/** It is its buyer's, too. */
export const PAGE_OF_AN_ORDER = /^\/order\/\d+\/?$/;

/** Also those whose rule asks for more than the role: an organization has none of them. */
export function isOperatorPage(pathname: string): boolean {
  const names: readonly string[] = [...OPERATOR_PAGES, 'organizations', 'notices'];
  return (
    !PAGE_OF_AN_ORDER.test(pathname) &&
    NAVIGATION.some((item) => names.includes(item.name) && isCurrent(item, pathname))
  );
}

export function operatorItem(pathname: string): NavigationItem | undefined {
  return NAVIGATION.find((item) => OPERATOR_PAGES.includes(item.name) && isCurrent(item, pathname));
}
