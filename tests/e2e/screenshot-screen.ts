// One screen of the screenshots: its user, and the steps before the picture.
import type { Page } from 'playwright-core';
import type { SettingKey } from '#contract/settings.ts';
import type { CompanyPeople } from './screenshot-people.ts';
import type { Lived } from './screenshot-data.ts';

export interface Screen {
  name: string;
  path: string;
  /** A visitor by default. */
  as?: keyof Lived;
  /** In the installation with the organization instead, as one of its people. */
  company?: keyof CompanyPeople | 'visitor';
  /** Steps before the picture. */
  prepare?: (page: Page, width: number) => Promise<unknown>;
  /** A dialog or a menu is open over the page. */
  floating?: boolean;
  /** Height of the picture, for pages that scroll. */
  height?: number;
  /** The name of a set of settings for this screen. */
  settings?: 'outside' | 'verified';
  /** The server refuses a call here, which the browser logs to its console. */
  refused?: boolean;
  /** Local storage of the browser. */
  storage?: Record<string, string>;
}

export type SettingSets = Record<NonNullable<Screen['settings']>, Partial<Record<SettingKey, string>>>;
