// The kinds of settings: conversion between the text in the database and the typed value, and the field that edits it.
// contract/settings.ts is the list.
import { z } from 'zod';
import type { Text } from './language.ts';

export type SettingGroup =
  | 'general'
  | 'drawing'
  | 'media'
  | 'sensitive'
  | 'logs'
  | 'backup'
  | 'export'
  | 'dashboard'
  | 'monitoring'
  | 'notices'
  | 'quota'
  | 'chat'
  | 'groups'
  | 'pricing'
  | 'limits'
  | 'address'
  | 'worker'
  | 'payment'
  | 'agents'
  | 'organizations'
  | 'login'
  | 'email'
  | 'smtp'
  | 'github'
  | 'linuxdo'
  | 'wechat'
  | 'telegram'
  | 'turnstile'
  | 'oidc'
  | 'content';

/** Readers of the value: every visitor by /api/status, signed-in users, or only the super admin. */
export type Visibility = 'public' | 'user' | 'root';

export type SettingKind =
  | 'toggle'
  | 'integer'
  | 'number'
  | 'text'
  | 'multiline'
  | 'lines'
  | 'list'
  | 'choice'
  | 'json'
  | 'address'
  | 'secret';

export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

export interface Setting<Value = unknown> {
  readonly kind: SettingKind;
  readonly schema: z.ZodType<Value>;
  readonly fallback: Value;
  readonly group: SettingGroup;
  readonly visibility: Visibility;
  readonly label: Text;
  /** One sentence: what the setting does, with an example where it helps. */
  readonly help: Text;
  readonly choices?: readonly string[];
  /** Range of the number, both ends included. */
  readonly range?: NumberRange;
  /** Checked when the value is saved; a value that an earlier version stored is still read. */
  readonly atSave?: z.ZodType | undefined;
  /** Text as stored and sent → typed value. Throws a ZodError or SyntaxError when it is not valid. */
  parse(text: string): Value;
  format(value: Value): string;
}

/** The name of the setting and one sentence about its effect. */
export type Label = readonly [zh: string, en: string, helpZh: string, helpEn: string];

/** The text form of a setting. */
interface Codec<Value> {
  readonly schema: z.ZodType<Value>;
  readonly read: (text: string) => unknown;
  readonly write: (value: Value) => string;
  readonly atSave?: z.ZodType | undefined;
  readonly limits?: Pick<Setting, 'choices' | 'range'>;
}

/** Members of every setting. */
interface Common<Value> {
  readonly fallback: Value;
  readonly group: SettingGroup;
  readonly label: Label;
  readonly visibility?: Visibility;
}

export function setting<Value>(
  kind: SettingKind,
  { fallback, group, label: [zh, en, helpZh, helpEn], visibility = 'root' }: Common<Value>,
  { schema, read, write, atSave, limits }: Codec<Value>,
): Setting<Value> {
  return {
    kind,
    schema,
    fallback,
    group,
    visibility,
    label: { zh, en },
    help: { zh: helpZh, en: helpEn },
    ...limits,
    atSave,
    parse: (text) => schema.parse(read(text), { reportInput: true }),
    format: write,
  };
}

const BOOLEANS: Record<string, boolean | undefined> = { true: true, 1: true, false: false, 0: false };
const readBoolean = (text: string) => BOOLEANS[text] ?? text;
const readNumber = (text: string) => (text.trim() === '' ? Number.NaN : Number(text));
export const same = (text: string) => text;
/** Without the spaces, line ends and invisible marks that come with a pasted text. */
export const trimmed = (text: string) =>
  text.replaceAll(/^[\s\u{200B}\u{2060}\u{FEFF}]+|[\s\u{200B}\u{2060}\u{FEFF}]+$/gu, '');
export const oneLine = (text: string) => trimmed(text).replaceAll(/\s*[\r\n\u{2028}\u{2029}]\s*/gu, ' ');

export const toggle = (
  fallback: boolean,
  group: SettingGroup,
  label: Label,
  visibility: Visibility = 'root',
) =>
  setting(
    'toggle',
    { fallback, group, label, visibility },
    { schema: z.boolean(), read: readBoolean, write: String },
  );

export const integer = (
  fallback: number,
  group: SettingGroup,
  label: Label,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: Partial<NumberRange> = {},
  visibility: Visibility = 'root',
) =>
  setting(
    'integer',
    { fallback, group, label, visibility },
    {
      schema: z.number().int().min(min).max(max),
      read: readNumber,
      write: String,
      limits: { range: { min, max } },
    },
  );

export const decimal = (
  fallback: number,
  group: SettingGroup,
  label: Label,
  { min = 0, max = 1e12 }: Partial<NumberRange> = {},
  visibility: Visibility = 'root',
) =>
  setting(
    'number',
    { fallback, group, label, visibility },
    {
      schema: z.number().min(min).max(max),
      read: readNumber,
      write: String,
      limits: { range: { min, max } },
    },
  );

export const text = (fallback: string, group: SettingGroup, label: Label, visibility: Visibility = 'root') =>
  setting(
    'text',
    { fallback, group, label, visibility },
    { schema: z.string().max(2000), read: oneLine, write: same },
  );

export const multiline = (group: SettingGroup, label: Label, visibility: Visibility = 'root') =>
  setting(
    'multiline',
    { fallback: '', group, label, visibility },
    { schema: z.string().max(500_000), read: same, write: same },
  );

export const choice = <const Option extends string>(
  options: readonly [Option, ...Option[]],
  fallback: Option,
  group: SettingGroup,
  label: Label,
  visibility: Visibility = 'root',
) =>
  setting<Option>(
    'choice',
    { fallback, group, label, visibility },
    {
      schema: z.enum(options),
      read: same,
      write: same,
      limits: { choices: options },
    },
  );

export const json = <Value>(
  schema: z.ZodType<Value>,
  fallback: Value,
  group: SettingGroup,
  label: Label,
  visibility: Visibility = 'root',
) =>
  setting(
    'json',
    { fallback, group, label, visibility },
    {
      schema,
      read: (value) => (value.trim() === '' ? fallback : JSON.parse(value)),
      write: (value) => JSON.stringify(value, null, 2),
    },
  );

/** Write-only: encrypted in the database; the API returns only whether it is set. */
export const secret = (group: SettingGroup, label: Label) =>
  setting(
    'secret',
    { fallback: '', group, label },
    { schema: z.string().max(4000), read: trimmed, write: same },
  );
