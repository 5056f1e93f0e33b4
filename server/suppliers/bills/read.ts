// Reads the CSV of a bill: each line becomes a day, a model and its figures.
import { readCsv } from '#contract/csv.ts';
import { AppError } from '#contract/errors.ts';
import {
  BILL_MOST_ROWS,
  type BillAmounts,
  type BillField,
  type BillMapping,
  type BillShape,
} from '#contract/suppliers/supplier-bills.ts';
import { columnsOf, CURRENCY_COLUMNS, UNIT_COLUMNS } from './shapes.ts';

export interface BilledLine extends BillAmounts {
  /** Days since 1970, UTC. */
  day: number;
  model: string;
}

export interface ReadBill {
  lines: BilledLine[];
  has: { requests: boolean; tokens: boolean; cost: boolean };
}

interface Reader {
  /** The sum of the field's columns in a line; 0 without a column. */
  number(cells: readonly string[], field: BillField): number;
  text(cells: readonly string[], field: BillField): string;
  has(field: BillField): boolean;
}

export function readBill(csv: string, shape: BillShape, mapping: BillMapping): ReadBill {
  const [header, ...rows] = readCsv(csv, BILL_MOST_ROWS) ?? [];
  if (header === undefined || rows.length === 0) throw new AppError('bill_unreadable', {}, { field: 'csv' });
  const names = header.map((name) => name.trim().toLowerCase());
  const reader = readerFor(names, shape, mapping);
  const has = {
    requests: reader.has('requests'),
    tokens: reader.has('input_tokens') || reader.has('output_tokens') || reader.has('tokens'),
    cost: reader.has('cost'),
  };
  if (!reader.has('day') || !reader.has('model') || !(has.requests || has.tokens || has.cost))
    throw new AppError('bill_columns', { columns: header.join(', ').slice(0, 300) }, { field: 'csv' });
  const currencyAt = names.findIndex((name) => CURRENCY_COLUMNS.includes(name));
  const unitAt = names.findIndex((name) => UNIT_COLUMNS.includes(name));
  const isDollars = reader.text(header, 'cost').toLowerCase().includes('usd');
  const lines = rows.flatMap((cells) => {
    const currency = (cells[currencyAt] ?? 'usd').trim();
    if (!isDollars && currency !== '' && currency.toLowerCase() !== 'usd')
      throw new AppError('bill_currency', { currency: currency.slice(0, 20) }, { field: 'csv' });
    return lineOf(reader, cells, cells[unitAt] ?? '');
  });
  if (lines.length === 0) throw new AppError('bill_unreadable', {}, { field: 'csv' });
  return { lines, has };
}

function readerFor(names: readonly string[], shape: BillShape, mapping: BillMapping): Reader {
  const places = new Map<BillField, number[]>();
  for (const [field, choices] of Object.entries(columnsOf(shape, mapping))) {
    const columns = choices.find((each) => each.some((name) => names.includes(name)));
    const found = columns?.map((name) => names.indexOf(name)).filter((at) => at >= 0);
    if (found !== undefined && found.length > 0) places.set(field as BillField, found);
  }
  const textAt = (cells: readonly string[], at: number): string => (cells[at] ?? '').trim();
  return {
    number: (cells, field) =>
      (places.get(field) ?? []).reduce((sum, at) => sum + numberOf(textAt(cells, at)), 0),
    text: (cells, field) => (places.get(field) ?? []).map((at) => textAt(cells, at))[0] ?? '',
    has: (field) => places.has(field),
  };
}

function numberOf(text: string): number {
  const value = Number(text.replaceAll(/[$,\s]/g, ''));
  return Number.isFinite(value) ? value : 0;
}

/** A charge for no model, such as a search, or every charge of an export that is not grouped by model. */
const NO_MODEL = 'other';

/** Nothing for a line without a day, such as a line of totals, and for a day without any charge. */
function lineOf(reader: Reader, cells: readonly string[], unit: string): BilledLine[] {
  const day = dayIn(reader.text(cells, 'day'));
  const named = reader.text(cells, 'model') || (reader.number(cells, 'cost') === 0 ? '' : NO_MODEL);
  if (day === undefined || named === '') return [];
  // OpenAI's cost export: `gpt-4o-2024-08-06, input`.
  const [model = named] = named.split(',');
  const line = {
    day,
    model: model.trim(),
    requests: reader.number(cells, 'requests'),
    input_tokens: reader.number(cells, 'input_tokens') + reader.number(cells, 'cached_tokens'),
    output_tokens: reader.number(cells, 'output_tokens'),
    cost: reader.number(cells, 'cost'),
  };
  return [reader.has('tokens') ? withMeter(line, reader, cells, unit) : line];
}

const METER_WORDS =
  /\b(?:input|inpt|inp|output|outpt|outp|out|opt|cached|cchd|cache|tokens?|1[km]|global|glbl|gl|regional|regnl|rgnl|data ?zone|dzone|dzn|dz|batch|shortco|longco|azure|openai)\b/g;

/**
 * Azure has one line for each meter, in thousands or millions: `gpt-4o 0806 Inp glbl Tokens`, `5.4 opt Gl 1M Tokens`. A meter
 * that begins with a number is a GPT.
 */
function withMeter(line: BilledLine, reader: Reader, cells: readonly string[], unit: string): BilledLine {
  const kind = reader.text(cells, 'token_kind').toLowerCase();
  const thousands = /\b1?m\b/i.test(unit) ? 1e6 : /\b1?k\b/i.test(unit) || unit === '' ? 1000 : 1;
  // Other meters of the same bill count hours or gigabytes.
  const isTokens = thousands > 1 || kind.includes('token');
  const tokens = isTokens ? Math.round(reader.number(cells, 'tokens') * thousands) : 0;
  const isOutput = /\bout|\bopt/.test(kind);
  const model = line.model
    .toLowerCase()
    .replace(METER_WORDS, ' ')
    .trim()
    .replaceAll(/\s+/g, '-')
    .replace(/^(?=\d)/, 'gpt-');
  return { ...line, model, ...(isOutput ? { output_tokens: tokens } : { input_tokens: tokens }) };
}

/** `2026-11-16`, the same with a time, `11/16/2026`, or unix seconds. */
export function dayIn(text: string): number | undefined {
  const iso = /^(\d{4})-?(\d{2})-?(\d{2})(?:\D|$)/.exec(text);
  const american = /^(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(text);
  const time = iso
    ? Date.UTC(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]))
    : american
      ? Date.UTC(Number(american[3]), Number(american[1]) - 1, Number(american[2]))
      : /^\d{9,10}(?:\.\d+)?$/.test(text)
        ? Number(text) * 1000
        : NaN;
  return Number.isNaN(time) ? undefined : Math.floor(time / 86_400_000);
}
