// Tokens with the same keys: callers go on with what they have, with and without `sk-`.
import { checkAddressLines, tidyAddressLines } from '#contract/ip-address.ts';
import {
  modelLimitList,
  TOKEN_KEY_PREFIX,
  TOKEN_NEVER_EXPIRES,
  TOKEN_STATUS,
  tokenFields,
} from '#contract/admin/tokens.ts';
import { TOKEN_NAME_MAX } from '#contract/admin/token-names.ts';
import { insertTokens } from '#server/admin/tokens/insert.ts';
import { keyDigest } from '#server/admin/tokens/key.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Fields } from '#server/operating/import-export/source/fields.ts';
import { requireFields } from './checks.ts';
import { amountOf, bringTable, type Job } from './job.ts';

/** With this group on a token, new-api chooses one of the user's groups for each call. */
const AUTO_GROUP = 'auto';
/** Longer keys are refused at a call. */
const KEY_MOST = 250;

/** The key as the relay looks it up. */
export const bareKey = (key: string): string =>
  key.startsWith(TOKEN_KEY_PREFIX) ? key.slice(TOKEN_KEY_PREFIX.length) : key;

export async function bringTokens(job: Job): Promise<void> {
  const { report, ids, store } = job;
  const digests = await readKnownDigests(job);
  await bringTable(job, 'tokens', 'tokens', async (fields, sourceId) => {
    const name = `${fields.text('name')} (id ${sourceId})`;
    const key = bareKey(fields.text('key'));
    const userId = ids.find('users', fields.text('user_id'));
    if (fields.isSet('deleted_at')) return report.leave('tokens', 'deleted at the source', name);
    if (userId === undefined) return report.leave('tokens', 'its user is not brought', name);
    if (key === '' || key.length > KEY_MOST) return report.leave('tokens', 'has no usable key', name);
    const digest = keyDigest(store.vault, key);
    if (digests.has(digest)) {
      report.conflict(`token ${name}: its key exists here already`);
      return report.leave('tokens', 'its key exists here already', name);
    }
    const columns = tokenColumns(job, fields, sourceId);
    requireStorable(columns);
    digests.add(digest);
    return async (transaction) => {
      const [token] = await insertTokens(store, transaction, userId, [{ columns, key }]);
      return token?.id ?? 0;
    };
  });
}

async function readKnownDigests({ store }: Job): Promise<Set<string>> {
  const rows = await store.db.selectFrom('tokens').select('key_digest').execute();
  return new Set(rows.map(({ key_digest }) => key_digest));
}

/** As the owner could have saved it; the columns hold switches as numbers. */
export function requireStorable(columns: Partial<NewRow<'tokens'>>): void {
  const { unlimited_quota: _, model_limits_enabled: __, ...values } = columns;
  requireFields(tokenFields.partial(), values);
}

function tokenColumns(job: Job, fields: Fields, sourceId: string): Partial<NewRow<'tokens'>> {
  const { report } = job;
  const status = fields.integer('status', TOKEN_STATUS.enabled);
  const remain = fields.integer('remain_quota');
  const isUnlimited = fields.flag('unlimited_quota');
  if (remain < 0 && isUnlimited === 0)
    report.conflict(`token ${sourceId} has ${remain} units, which is below zero: brought with 0`);
  const models = fields.text('model_limits') || fields.text('models');
  const addresses = addressesOf(fields.text('allow_ips') || fields.text('subnet'));
  if (addresses.isUnusable)
    report.conflict(`token ${sourceId}: its list of addresses cannot be read, brought disabled`);
  const group = fields.text('group');
  if (group === AUTO_GROUP)
    report.note(`Tokens of the group ${AUTO_GROUP} are brought with the group of their user.`);
  const isKnown = Object.values(TOKEN_STATUS).some((known) => known === status);
  return {
    name:
      Array.from(fields.text('name').replaceAll(/\p{Cc}+/gu, ' '))
        .slice(0, TOKEN_NAME_MAX)
        .join('') || `token ${sourceId}`,
    status: addresses.isUnusable || !isKnown ? TOKEN_STATUS.disabled : status,
    remain_quota: amountOf(job, fields, 'remain_quota'),
    unlimited_quota: isUnlimited,
    used_quota: amountOf(job, fields, 'used_quota'),
    created_time: fields.seconds('created_time'),
    accessed_time: fields.seconds('accessed_time'),
    expired_time: fields.end('expired_time', TOKEN_NEVER_EXPIRES),
    // one-api has no switch: a list of models is in force.
    model_limits_enabled:
      job.family === 'one-api' ? (models === '' ? 0 : 1) : fields.flag('model_limits_enabled'),
    model_limits: modelLimitList(models).join(','),
    allow_ips: addresses.text,
    group: group === AUTO_GROUP ? '' : group,
  };
}

/** A list of which no line can be read must not become an empty one, which would allow every address. */
function addressesOf(text: string): { text: string; isUnusable: boolean } {
  const lines = text
    .split(/[,\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean);
  const good = checkAddressLines(lines.join('\n')).filter(({ problem }) => problem === null);
  return {
    text: tidyAddressLines(good.map((line) => line.text).join('\n')),
    isUnusable: lines.length > 0 && good.length === 0,
  };
}
