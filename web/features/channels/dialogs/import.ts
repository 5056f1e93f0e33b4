/** Channels from JSON: a list, a list under `data` or `channels`, or a single one, with the field names of the API. */
import { splitList } from '#web/features/channels/list/rows.ts';

export interface ImportedChannel {
  name: string;
  type: number;
  key: string;
  base_url?: string;
  models: string;
  groups: string;
  model_mapping?: string;
  tag?: string;
  priority?: number;
  weight?: number;
  other?: string;
  test_model?: string;
  openai_organization?: string;
}

export type ImportProblem = 'notJson' | 'nothing' | 'name' | 'type' | 'key' | 'models';

export interface ImportLine {
  /** The name of the entry, or its position. */
  name: string;
  channel?: ImportedChannel;
  problem?: ImportProblem;
}

const MOST = 500;

export function readImport(text: string): { lines: ImportLine[]; problem?: ImportProblem } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { lines: [], problem: 'notJson' };
  }
  const list = listOf(value).slice(0, MOST);
  if (list.length === 0) return { lines: [], problem: 'nothing' };
  return { lines: list.map((entry, index) => lineOf(entry, index)) };
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [];
  for (const name of ['data', 'channels', 'items'] as const) {
    const inner = (value as Record<string, unknown>)[name];
    if (Array.isArray(inner)) return inner;
  }
  return [value];
}

/** A list of names as text with commas or as an array. */
function names(value: unknown): string {
  if (Array.isArray(value)) return value.filter((name) => typeof name === 'string').join(',');
  return typeof value === 'string' ? splitList(value).join(',') : '';
}

function lineOf(entry: unknown, index: number): ImportLine {
  const fields = typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : {};
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name].trim() : '');
  const name = text('name');
  const called = name || `#${index + 1}`;
  if (name === '') return { name: called, problem: 'name' };
  const type = Number(fields['type']);
  if (!Number.isInteger(type) || type < 1) return { name: called, problem: 'type' };
  const credentials = fields['key'];
  const key =
    typeof credentials === 'object' && credentials !== null ? JSON.stringify(credentials) : text('key');
  if (key === '') return { name: called, problem: 'key' };
  const models = names(fields['models']);
  if (models === '') return { name: called, problem: 'models' };
  const channel: ImportedChannel = {
    name,
    type,
    key,
    models,
    groups: names(fields['groups'] ?? fields['group']) || 'default',
  };
  for (const field of ['base_url', 'tag', 'other', 'test_model', 'openai_organization'] as const)
    if (text(field) !== '') channel[field] = text(field);
  const mapping = fields['model_mapping'];
  if (typeof mapping === 'object' && mapping !== null) channel.model_mapping = JSON.stringify(mapping);
  else if (text('model_mapping') !== '') channel.model_mapping = text('model_mapping');
  for (const field of ['priority', 'weight'] as const)
    if (Number.isInteger(fields[field])) channel[field] = fields[field] as number;
  return { name: called, channel };
}
