// Cells that several tables of LiteLLM have.
import type { Fields } from '#server/operating/import-export/source/fields.ts';

export const limitsOf = (fields: Fields) => ({
  requests_per_minute: Math.max(0, fields.integer('rpm_limit')),
  tokens_per_minute: Math.max(0, fields.integer('tpm_limit')),
  concurrent_calls: Math.max(0, fields.integer('max_parallel_requests')),
});

/** `["a","b"]`, `{a,b}` of PostgreSQL, or `a,b`; LiteLLM's own words for every model are no names. */
export function listOf(text: string): string[] {
  return text
    .replaceAll(/^[[{]|[\]}]$/g, '')
    .split(',')
    .map((name) => name.trim().replaceAll(/^"|"$/g, ''))
    .filter((name) => name !== '' && !name.startsWith('all-'));
}
