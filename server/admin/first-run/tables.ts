// The steps that the tables answer.
import { CHANNEL_STATUS, channelOtherInfo } from '#contract/relay/channel-fields.ts';
import { wordsIn } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';
import { readOfferedModels } from '#server/platform/store/offered-models.ts';
import type { FirstRunDependencies, StepFinding } from './dependencies.ts';

const SHOWN_MODELS = 5;

/** Works: an enabled channel has passed a test, or has answered a call. */
export async function checkChannel(
  { store: { db } }: FirstRunDependencies,
  language: Language,
): Promise<StepFinding> {
  const channels = await db
    .selectFrom('channels')
    .select(['name', 'status', 'test_time', 'used_quota', 'other_info'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  if (channels.length === 0) return { state: 'open', reason: 'none' };
  const problemOf = (text: string) => channelOtherInfo(text).test_error ?? '';
  const works = channels.some(
    ({ status, test_time, used_quota, other_info }) =>
      status === CHANNEL_STATUS.enabled &&
      (used_quota > 0 || (test_time > 0 && problemOf(other_info) === '')),
  );
  if (works) return { state: 'done' };
  const failed = channels.find(({ other_info }) => problemOf(other_info) !== '');
  if (failed === undefined) return { state: 'open', reason: 'untested', detail: channels[0]?.name ?? '' };
  return {
    state: 'failed',
    reason: 'untested',
    detail: `${failed.name}: ${wordsIn(language, problemOf(failed.other_info))}`.slice(0, 300),
  };
}

/** Calls of a model without a price are refused. */
export async function checkPrice({ store, priceOf }: FirstRunDependencies): Promise<StepFinding> {
  const rows = await readOfferedModels(store);
  if (rows.length === 0) return { state: 'open', reason: 'none' };
  const unpriced = rows.filter(({ model, group }) => priceOf(model, group) === 'no_price');
  if (unpriced.length === 0) return { state: 'done' };
  const names = [...new Set(unpriced.map(({ model }) => model))].sort();
  const more = names.length > SHOWN_MODELS ? ' …' : '';
  return {
    state: 'failed',
    reason: 'unpriced',
    detail: `${names.slice(0, SHOWN_MODELS).join(', ')}${more}`,
  };
}

/** A call with a token was answered. */
export async function checkToken({ store: { db } }: FirstRunDependencies): Promise<StepFinding> {
  const used = await db
    .selectFrom('usage_hours')
    .select('token_id')
    .where('token_id', '>', 0)
    .where('count', '>', 0)
    .limit(1)
    .executeTakeFirst();
  return used === undefined ? { state: 'open', reason: 'none' } : { state: 'done' };
}

/** The mail server has taken a letter. */
export async function checkMail({ store: { db }, settings }: FirstRunDependencies): Promise<StepFinding> {
  const { SMTPServer, SMTPFrom, SMTPAccount } = settings.current;
  // The account is the sender of mails that name none.
  if (SMTPServer === '' || (SMTPFrom === '' && SMTPAccount === '')) return { state: 'open', reason: 'none' };
  const last = await db
    .selectFrom('mails')
    .select(['sent_at', 'error'])
    .where((where) => where.or([where('sent_at', '>', 0), where('error', '<>', '')]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return { state: 'open', reason: 'unsent' };
  return last.sent_at > 0
    ? { state: 'done' }
    : { state: 'failed', reason: 'unsent', detail: last.error.slice(0, 300) };
}
