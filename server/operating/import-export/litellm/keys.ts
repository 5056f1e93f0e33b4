// Users and virtual keys of LiteLLM. Its database has only digests of keys, which cannot be turned back into keys: a key is
// brought when it is given in the clear, in a CSV file or as the master key. Its row in the database gives budget and limits.
import { createHash } from 'node:crypto';
import { TOKEN_NEVER_EXPIRES, TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { TOKEN_NAME_MAX } from '#contract/admin/token-names.ts';
import { ROLE } from '#contract/access.ts';
import { unixSeconds } from '#contract/time.ts';
import { bookOpeningBalance } from '#server/money/ledger/imported.ts';
import { insertUser } from '#server/admin/write-user.ts';
import { keyDigest } from '#server/admin/tokens/key.ts';
import { insertTokens } from '#server/admin/tokens/insert.ts';
import { bareKey, requireStorable } from '#server/operating/import-export/import/tokens.ts';
import { dollarsOf, readable, withinCap, type Job } from '#server/operating/import-export/import/job.ts';
import { CellError, Fields } from '#server/operating/import-export/source/fields.ts';
import type { Source } from '#server/operating/import-export/source/source.ts';
import type { KeyRow } from '#server/operating/import-export/organizations/key-rows.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { limitsOf, listOf } from './cells.ts';
import { rowsOf, TEAM_TABLES } from './team-tables.ts';

export const LITELLM_TABLES = [
  'LiteLLM_UserTable',
  'LiteLLM_VerificationToken',
  'LiteLLM_ProxyModelTable',
  ...TEAM_TABLES,
] as const;

export const DIGEST_ONLY =
  'the database has only a digest of the key: give the keys by --keys, or make new ones';

/** The owner of keys that have no user. */
const NO_USER = 'litellm';

/** What a key has of its row in the shared table of budgets, where its own cell is empty. */
const SHARED = [
  'max_budget',
  'soft_budget',
  'budget_duration',
  'budget_reset_at',
  'rpm_limit',
  'tpm_limit',
  'max_parallel_requests',
] as const;

type KeyJob = Omit<Job, 'source' | 'family' | 'options' | 'isEmpty' | 'isFinished' | 'overwrites'>;

export async function keyRows(
  source: Source | undefined,
  given: readonly Record<string, string>[],
  masterKey: string | undefined,
  budgets: ReadonlyMap<string, Fields>,
): Promise<KeyRow[]> {
  const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
  const stored = (await rowsOf(source, 'LiteLLM_VerificationToken')).map((row) =>
    row.orElse(budgets.get(row.text('budget_id')), SHARED),
  );
  const rows = new Map(
    stored.map((fields) => [fields.text('token'), { key: '', hash: fields.text('token'), fields }]),
  );
  const plain = [...given, ...(masterKey ? [{ key: masterKey, key_alias: 'master key' }] : [])];
  for (const row of plain) {
    const key = row['key'] ?? '';
    if (key === '') continue;
    const hash = hashOf(key);
    const known = rows.get(hash);
    rows.set(hash, known ? { ...known, key } : { key, hash, fields: new Fields(row) });
  }
  return [...rows.values()];
}

export async function bringLiteLlmUsers(
  job: KeyJob,
  source: Source | undefined,
  keys: readonly KeyRow[],
): Promise<void> {
  const { report, ids, store, importId, isDry } = job;
  const stored = await rowsOf(source, 'LiteLLM_UserTable');
  const users = new Map(stored.map((fields) => [fields.text('user_id'), fields]));
  for (const { key, fields } of keys)
    if (key !== '' && !users.has(ownerOf(fields)))
      users.set(ownerOf(fields), new Fields({ user_id: ownerOf(fields) }));
  const names = new Set(
    (await store.db.selectFrom('users').select('username').execute()).map(({ username }) =>
      username.toLowerCase(),
    ),
  );
  for (const [sourceId, fields] of users) {
    report.count(report.found, 'users');
    if (ids.find('users', sourceId) !== undefined) {
      report.count(report.already, 'users');
      continue;
    }
    const wanted = fields.text('user_alias') || fields.text('user_email') || sourceId;
    let username = wanted;
    for (let number = 2; names.has(username.toLowerCase()); number += 1) username = `${wanted}_${number}`;
    const read = await readable(job, 'users', `${wanted} (user_id ${sourceId})`, () => {
      const limits = limitsOf(fields);
      requireStorable(limits);
      return { quota: restOf(job, fields), limits, createdAt: fields.seconds('created_at') };
    });
    if (read === undefined) continue;
    const { quota, limits, createdAt } = read;
    names.add(username.toLowerCase());
    if (username !== wanted)
      report.conflict(`user ${wanted}: the name is taken here, brought as ${username}`);
    if (fields.text('budget_duration') !== '')
      report.note(
        'The budget of a user is a balance here: what is left of it is brought, and it is not refilled.',
      );
    if (fields.text('max_budget') === '')
      report.note('Users without a budget are brought with a balance of 0: top them up.');
    report.balances.source += BigInt(quota);
    report.balances.here += BigInt(quota);
    report.count(report.brought, 'users');
    if (isDry) {
      ids.expect('users', sourceId);
      continue;
    }
    await store.db.transaction().execute(async (transaction) => {
      const id = await insertUser(transaction, {
        username,
        display_name: Array.from(username).slice(0, 20).join(''),
        email: fields.text('user_email'),
        role: ROLE.user,
        ...(createdAt === 0 ? {} : { created_at: createdAt }),
        ...limits,
      });
      await bookOpeningBalance(transaction, store.dialect, {
        importId,
        userId: id,
        sourceId,
        quota,
        affQuota: 0,
        affHistoryQuota: 0,
      });
      await ids.add(transaction, 'users', sourceId, id);
    });
  }
}

export async function bringLiteLlmKeys(job: KeyJob, keys: readonly KeyRow[]): Promise<void> {
  const { report, ids, store, isDry } = job;
  const rows = await store.db.selectFrom('tokens').select('key_digest').execute();
  const digests = new Set(rows.map(({ key_digest }) => key_digest));
  for (const { key, hash, fields } of keys) {
    report.count(report.found, 'tokens');
    const name = fields.text('key_alias') || fields.text('key_name') || hash.slice(0, 8);
    const userId = ids.find('users', ownerOf(fields));
    const bare = bareKey(key);
    if (ids.find('tokens', hash) !== undefined) report.count(report.already, 'tokens');
    else if (key === '') report.leave('tokens', DIGEST_ONLY, name);
    else if (userId === undefined) report.leave('tokens', 'its user is not brought', name);
    else if (digests.has(keyDigest(store.vault, bare)))
      report.leave('tokens', 'its key exists here already', name);
    else {
      const columns = await readable(job, 'tokens', name, () => tokenColumns(job, fields, name));
      if (columns === undefined) continue;
      if (fields.text('budget_duration') !== '' && columns.unlimited_quota === 0)
        report.note('A key of a user comes with what is left of its budget, which is not refilled.');
      digests.add(keyDigest(store.vault, bare));
      report.count(report.brought, 'tokens');
      if (isDry) continue;
      await store.db.transaction().execute(async (transaction) => {
        const [token] = await insertTokens(store, transaction, userId, [{ columns, key: bare }]);
        await ids.add(transaction, 'tokens', hash, token?.id ?? 0);
      });
    }
  }
}

const ownerOf = (fields: Fields): string => fields.text('user_id') || NO_USER;

/** What is left of a budget; 0 without one. */
function restOf({ scale }: KeyJob, fields: Fields): number {
  if (fields.text('max_budget') === '') return 0;
  return withinCap('max_budget', () =>
    scale.ofDollars(fields.decimal('max_budget') - fields.decimal('spend')),
  );
}

export function tokenColumns(job: KeyJob, fields: Fields, name: string): Partial<NewRow<'tokens'>> {
  const models = listOf(fields.text('models'));
  const columns: Partial<NewRow<'tokens'>> = {
    name: Array.from(name).slice(0, TOKEN_NAME_MAX).join(''),
    status: fields.flag('blocked') === 1 ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled,
    unlimited_quota: fields.text('max_budget') === '' ? 1 : 0,
    remain_quota: restOf(job, fields),
    used_quota: dollarsOf(job, fields, 'spend'),
    created_time: fields.seconds('created_at') || unixSeconds(),
    expired_time: expiryOf(fields),
    model_limits_enabled: models.length > 0 ? 1 : 0,
    model_limits: models.join(','),
    ...limitsOf(fields),
  };
  requireStorable(columns);
  return columns;
}

/** An end that cannot be read must not become "never". */
function expiryOf(fields: Fields): number {
  const seconds = fields.seconds('expires');
  if (seconds === 0 && fields.isSet('expires')) throw new CellError('expires is not a time');
  return seconds || TOKEN_NEVER_EXPIRES;
}
