/**
 * The settings form as texts: changed options, their saving order, and problems before
 * sending. The draft of a secret is blank until the operator types a new one.
 */
import type { OptionField } from '#contract/options.ts';
import { parsed, type Texts } from '#web/ui/sheet/ratios.ts';

export { parsed, type Texts };

export type Problem = 'number' | 'range' | 'json' | 'address' | 'server-address';

/** Normalised, so that blank lines and formatting do not count as a change. */
function normal(field: OptionField, text: string): string {
  switch (field.kind) {
    case 'json': {
      const value = parsed(text);
      return value === undefined ? text : JSON.stringify(value);
    }
    case 'lines':
      return text
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter(Boolean)
        .join('\n');
    case 'list':
      return text
        .split(/[,，\s]+/)
        .filter(Boolean)
        .join(',');
    case 'address':
      return text.trim().replace(/\/+$/, '');
    case 'integer':
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : String(Number(text));
    case 'text':
      return text.trim();
    default:
      return text;
  }
}

export function isChanged(field: OptionField, saved: string, draft: string | undefined): boolean {
  if (draft === undefined) return false;
  if (field.kind === 'secret') return draft.trim() !== '';
  return normal(field, draft) !== normal(field, saved);
}

export function changedFields(fields: readonly OptionField[], saved: Texts, drafts: Texts): OptionField[] {
  return fields.filter((field) => isChanged(field, saved[field.key] ?? '', drafts[field.key]));
}

/** Required options first, switches last: the server refuses to enable a provider without id and secret. */
export function inSavingOrder(fields: readonly OptionField[]): OptionField[] {
  const rank = ({ key, kind }: OptionField) => (key === 'ServerAddress' ? 0 : kind === 'toggle' ? 2 : 1);
  return fields.toSorted((left, right) => rank(left) - rank(right));
}

/** The problem of a text; the server checks more. */
export function problemOf(field: OptionField, text: string, serverAddress: string): Problem | undefined {
  if (field.group === 'payment' && serverAddress.trim() === '') return 'server-address';
  switch (field.kind) {
    case 'integer':
    case 'number': {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value)) return 'number';
      if (field.kind === 'integer' && !Number.isInteger(value)) return 'number';
      const { min = -Infinity, max = Infinity } = field;
      return value < min || value > max ? 'range' : undefined;
    }
    case 'json':
      return text.trim() === '' || parsed(text) !== undefined ? undefined : 'json';
    case 'address':
      return text.trim() === '' || /^https?:\/\/[^\s/]+/i.test(text.trim()) ? undefined : 'address';
    default:
      return undefined;
  }
}
