// Virtual keys of Bifrost. The database has them in the clear, or encrypted with a digest; those are brought when they are given in a
// CSV file. A key names providers with models; providers are the operator's channels here, so only the models are brought.
import { createHash } from 'node:crypto';
import { readable } from '#server/operating/import-export/import/job.ts';
import { tokenColumns } from '#server/operating/import-export/litellm/keys.ts';
import { bringOrganizationKeys } from '#server/operating/import-export/organizations/keys.ts';
import type { OrganizationJob, SourceKey } from '#server/operating/import-export/organizations/model.ts';
import { Fields } from '#server/operating/import-export/source/fields.ts';
import type { Place } from './governance.ts';
import { budgetsOf, limitsOf } from './limits.ts';
import type { Governance } from './tables.ts';

const EVERY = '*';
const REFERENCE = /^(env|vault)\./;

export async function bringVirtualKeys(
  job: OrganizationJob,
  governance: Governance,
  {
    given,
    variables,
    placeOf,
  }: {
    given: readonly Record<string, string>[];
    variables: Record<string, string | undefined>;
    placeOf: (key: Fields) => Place;
  },
): Promise<void> {
  const { report } = job;
  const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
  const plain = new Map(given.map((row) => [hashOf(row['key'] ?? ''), row['key'] ?? '']));
  const keys: SourceKey[] = [];
  for (const row of governance.keys) {
    const id = row.text('id');
    const name = row.text('name') || id;
    const key = plain.get(row.text('value_hash')) ?? valueOf(row, variables);
    const read = await readable(job, 'tokens', name, () => {
      const budgets = budgetsOf(job, governance, { column: 'virtual_key_id', id, name, row });
      return { budgets, fields: fieldsOf(job, governance, { id, name, row }) };
    });
    if (read === undefined) {
      report.count(report.found, 'tokens');
      continue;
    }
    keys.push({
      row: { key, hash: id, fields: read.fields },
      name,
      ...placeOf(row),
      user: '',
      budgets: read.budgets,
    });
  }
  await bringOrganizationKeys(job, keys, ({ row, name }) => tokenColumns(job, row.fields, name));
}

/** Empty: it is encrypted, or a reference that cannot be read here. */
function valueOf(row: Fields, variables: Record<string, string | undefined>): string {
  if (row.text('encryption_status') === 'encrypted') return '';
  const { value } = row.json('value');
  const text = typeof value === 'string' ? value : row.text('value');
  if (text.startsWith('env.')) return variables[text.slice('env.'.length)] ?? '';
  return REFERENCE.test(text) ? '' : text;
}

/** As a row from which the columns of a key are read. */
function fieldsOf(
  job: OrganizationJob,
  governance: Governance,
  { id, name, row }: { id: string; name: string; row: Fields },
): Fields {
  const { report } = job;
  const providers = governance.providers.get(id) ?? [];
  const models = providers.map((provider) => namesIn(provider, 'allowed_models'));
  const isEvery = models.some((list) => list.includes(EVERY));
  const allowed = isEvery ? [] : models.flat();
  if (providers.length > 0)
    report.note(
      'The providers of a key are not brought: its calls take the channels of their model and group.',
    );
  if (!isEvery && allowed.length === 0)
    report.conflict(`key ${name}: no model is allowed at the source, brought disabled`);
  if (providers.some((provider) => namesIn(provider, 'blacklisted_models').length > 0))
    report.conflict(`key ${name}: its list of refused models is not brought`);
  const isActive = row.text('is_active') === '' || row.flag('is_active') === 1;
  const { requests, tokens } = limitsOf(job, governance, { name, row });
  return new Fields({
    models: allowed.join(','),
    spend: 0,
    blocked: isActive && (isEvery || allowed.length > 0) ? 0 : 1,
    expires: row.text('expires_at'),
    rpm_limit: requests,
    tpm_limit: tokens,
    created_at: row.text('created_at'),
  });
}

const namesIn = (row: Fields, name: string): string[] =>
  row.array(name).filter((item): item is string => typeof item === 'string');
