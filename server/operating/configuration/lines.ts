// A difference between a file and an installation as one line of the command.
import { canonical, type Difference } from './state.ts';

const LONGEST_VALUE = 120;

export function differenceLine({ kind, name, change, fields, values }: Difference, prunes: boolean): string {
  if (change === 'add') return `+ ${kind} ${name}`;
  if (change === 'change') {
    const parts = fields.map(
      (field) => `${field === 'value' ? '' : `${field}: `}${changeOf(values?.[field])}`,
    );
    return `~ ${kind} ${name}: ${parts.join(', ')}`;
  }
  return prunes ? `- ${kind} ${name}` : `  ${kind} ${name}: not in the file (removed only with --prune)`;
}

/** A secret is compared by digest, and neither its old nor its new digest is shown. */
function changeOf(values: { before: unknown; after: unknown } | undefined): string {
  if (values === undefined || [values.before, values.after].some(isSecret)) return 'changed';
  return `${shown(values.before)} → ${shown(values.after)}`;
}

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.startsWith('secret:');

function shown(value: unknown): string {
  const text = canonical(value) ?? 'nothing';
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
