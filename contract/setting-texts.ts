// Settings that are stored as text and parsed: addresses, links, time zones, lists.
import { z } from 'zod';
import type { CustomProblem } from './problem-words.ts';
import {
  oneLine,
  same,
  setting,
  trimmed,
  type Label,
  type SettingGroup,
  type Visibility,
} from './setting-kinds.ts';
import { keepsKeyInFragment, opensNoScript } from './setting-shapes.ts';
import { isTimeZone } from './time-zone.ts';

/** An address that the console opens, of a page or of an application. */
export const link = (group: SettingGroup, label: Label, visibility: Visibility = 'root') =>
  setting(
    'text',
    { fallback: '', group, label, visibility },
    {
      schema: z
        .string()
        .max(2000)
        .refine(opensNoScript, 'script_link' satisfies CustomProblem)
        .refine(keepsKeyInFragment, 'key_before_fragment' satisfies CustomProblem),
      read: oneLine,
      write: same,
    },
  );

/** A name of the IANA time zone database; empty is allowed where it is the default. */
export const timeZone = (fallback: string, group: SettingGroup, label: Label) =>
  setting(
    'text',
    { fallback, group, label },
    {
      schema: z
        .string()
        .refine(
          (name) => (name === '' && fallback === '') || isTimeZone(name),
          'time_zone' satisfies CustomProblem,
        ),
      read: oneLine,
      write: same,
    },
  );

/** What the server appends its paths to: a query or a fragment would end up in the middle, and a password is not sent. */
const plainAddress = z
  .string()
  .refine((value) => value === '' || !/[?#]|\/\/[^/]*@/.test(value), 'plain_address' satisfies CustomProblem);

/** An http(s) address; trailing slashes are removed. */
export const address = (
  fallback: string,
  group: SettingGroup,
  label: Label,
  visibility: Visibility = 'root',
  atSave: z.ZodType | undefined = plainAddress,
) =>
  setting(
    'address',
    { fallback, group, label, visibility },
    {
      schema: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
      read: (value) => trimmed(value).replace(/\/+$/, ''),
      write: same,
      atSave,
    },
  );

/** The whole address of a request, which may have a query. */
export const requestAddress = (group: SettingGroup, label: Label) =>
  address('', group, label, 'root', z.string());

/** One entry per line; blank lines are removed. `entry` is checked when the option is saved. */
export const lines = (
  fallback: readonly string[],
  group: SettingGroup,
  label: Label,
  entry?: z.ZodType<string>,
) =>
  setting<readonly string[]>(
    'lines',
    { fallback, group, label },
    {
      schema: z.array(z.string()).max(200_000),
      read: (value) => value.split(/\r?\n/).map(trimmed).filter(Boolean),
      write: (value) => value.join('\n'),
      atSave: entry && z.array(entry),
    },
  );

/** The entries of a JSON array, which some clients send for a comma list. */
function jsonEntries(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Quotes and brackets are the remains of JSON; an entry with a comma or a space would be read as two. */
const listEntry = z
  .string()
  .refine((entry) => /^[^\s,，"'[\]{}]+$/.test(entry), 'list_entry' satisfies CustomProblem);

/** Comma list. `entry` is checked when the option is saved. */
export const list = (
  fallback: readonly string[],
  group: SettingGroup,
  label: Label,
  { entry = listEntry, tidy = same }: { entry?: z.ZodType<string>; tidy?: (entry: string) => string } = {},
) =>
  setting<readonly string[]>(
    'list',
    { fallback, group, label },
    {
      schema: z.array(z.string()),
      read: (value) => (jsonEntries(value) ?? value.split(/[,，\s]+/)).filter(Boolean).map(tidy),
      write: (value) => value.join(','),
      atSave: z.array(entry),
    },
  );
