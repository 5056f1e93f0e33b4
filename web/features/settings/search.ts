/** Search parameters of the settings page. */
import { flag, oneOf, pattern, searchParams, text, type SearchOf } from '#web/ui/address/search-params.ts';

/** `all`: the index of the others. */
export const TABS = ['all', 'operation', 'system', 'other', 'personal'] as const;
export type Tab = (typeof TABS)[number];

export const settingSearch = searchParams({
  tab: oneOf(...TABS),
  section: pattern(/^[a-zA-Z]{1,20}$/),
  /** The option that gets the focus when the page opens. */
  option: pattern(/^[\w.]{1,100}$/),
  /** The ratios as text instead of a sheet. */
  view: oneOf('json'),
  /** The history drawer is open. */
  history: flag,
  /** The option that filters the history. */
  key: text(100),
});

export type SettingSearch = SearchOf<typeof settingSearch>;
