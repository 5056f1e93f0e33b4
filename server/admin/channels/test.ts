// Tests one channel. No user is charged: it writes a system log row (type 4, quota 0) under the administrator. A test
// without a named model may disable or enable the channel, as the monitoring settings say; a test of a named model only
// reports its result.
import { CHANNEL_STATUS, channelOtherInfo } from '#contract/relay/channel-fields.ts';
import type { channelUpstream } from '#contract/relay/channel-upstream.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Output } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { factText } from '#contract/facts.ts';
import { insertLogs } from '#server/money/ledger/log-rows.ts';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { Transaction } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import { changeChannel, type ChannelColumns } from '#server/relay/channel-choice/write.ts';
import { channelRow } from './change.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { learnFormats } from './learn-formats.ts';
import { defaultTestModel, testCall, type TestLimits, type TestOutcome } from './test-call.ts';
import { draftTarget, failureOf, providerFor, targetOf } from './upstream.ts';

const SYSTEM_LOG = 4;
const DRAFT_LIMITS: TestLimits = { timeoutSeconds: 60 };

export interface Tester {
  id: number;
  username: string;
}

export function testChannel(dependencies: UpstreamDependencies): Handler<typeof channelUpstream.test> {
  return async ({ params, query }, context) => {
    const caller = callerOf(context);
    const before = await channelRow(dependencies, params.id);
    const limits = { timeoutSeconds: query.timeout_seconds, wantsStream: query.stream };
    const row = { ...before, refused_formats: await learnFormats(dependencies, before) };
    const outcome = await testRow(dependencies, row, caller, limits, query.model);
    return answerOf(outcome);
  };
}

/** Nothing is stored: the channel may not exist yet. */
export function testDraft(dependencies: UpstreamDependencies): Handler<typeof channelUpstream.testDraft> {
  return async ({ body }) => {
    const target = await draftTarget(dependencies, body);
    const { model, model_mapping, param_override } = body;
    const tested = { ...target, model_mapping, param_override };
    return answerOf(await testCall(dependencies, tested, model, DRAFT_LIMITS));
  };
}

export async function testRow(
  dependencies: UpstreamDependencies,
  row: Row<'channels'>,
  tester: Tester,
  limits: TestLimits,
  namedModel = '',
): Promise<TestOutcome> {
  providerFor(row.type);
  const model = namedModel || defaultTestModel(row);
  if (model === undefined) throw new AppError('channel_test_unsupported', { model: row.models });
  const target = { ...row, ...targetOf(dependencies, row) };
  const outcome = await testCall(dependencies, target, model, limits);
  // An aborted test has no result for the channel.
  if (limits.signal?.aborted) return outcome;
  await keepOutcome(dependencies, row, outcome, namedModel === '');
  await logTest(dependencies, row, outcome, tester, 'channelTest');
  return outcome;
}

function answerOf(outcome: TestOutcome): Output<typeof channelUpstream.test> {
  const time = outcome.milliseconds / 1000;
  if (!outcome.isOk) throw failureOf('channel_test_failed', outcome, { time });
  return {
    data: {
      model: outcome.model,
      upstream_model: outcome.upstreamModel,
      milliseconds: outcome.milliseconds,
      first_token_ms: outcome.firstTokenMilliseconds,
    },
    time,
  };
}

/** A failed test does not change the last response time: the time of a refusal is no measure of speed. */
async function keepOutcome(
  dependencies: UpstreamDependencies,
  row: Row<'channels'>,
  outcome: TestOutcome,
  mayChangeStatus: boolean,
): Promise<void> {
  const now = nowSeconds(dependencies);
  const verdict = mayChangeStatus ? verdictOf(dependencies, row, outcome) : undefined;
  const { test_error: _before, ...info } = channelOtherInfo(row.other_info);
  const error = outcome.isOk ? {} : { test_error: outcome.detail };
  const disabled = verdict?.reason === undefined ? {} : { status_reason: verdict.reason, status_time: now };
  const kept = verdict?.status === CHANNEL_STATUS.enabled ? {} : { ...info, ...disabled, ...error };
  const columns: ChannelColumns = {
    test_time: now,
    other_info: Object.keys(kept).length === 0 ? '' : JSON.stringify(kept),
    ...(outcome.isOk ? { response_time: outcome.milliseconds } : {}),
  };
  const isSwitched = await dependencies.store.db.transaction().execute(async (transaction) => {
    // A status that an administrator set meanwhile is kept, with its reason.
    const change = { ...columns, ...(verdict ? { status: verdict.status } : {}) };
    const changed = await changeChannel(transaction, row.id, change, { status: row.status });
    if (!changed || !verdict) return false;
    await noticeSwitch(transaction, changed, verdict);
    return true;
  });
  if (isSwitched) await dependencies.store.changes.announce('channels', String(row.id));
}

async function noticeSwitch(
  transaction: Transaction<Schema>,
  { id, name }: Row<'channels'>,
  { reason }: Verdict,
): Promise<void> {
  const values = { channel_id: id, channel_name: name };
  if (reason === undefined) await raiseNotice(transaction, { event: 'channel_enabled', values });
  else await raiseNotice(transaction, { event: 'channel_disabled', values: { ...values, reason } });
}

interface Verdict {
  status: number;
  reason?: string;
}

function verdictOf(
  { settings }: UpstreamDependencies,
  row: Row<'channels'>,
  outcome: TestOutcome,
): Verdict | undefined {
  const current = settings.current;
  const mayDisable =
    current.AutomaticDisableChannelEnabled && row.auto_ban === 1 && row.status === CHANNEL_STATUS.enabled;
  const limit = current.ChannelDisableThreshold * 1000;
  if (mayDisable && !outcome.isOk) {
    return { status: CHANNEL_STATUS.autoDisabled, reason: `test ${outcome.detail}` };
  }
  if (mayDisable && limit > 0 && outcome.milliseconds > limit) {
    const seconds = (outcome.milliseconds / 1000).toFixed(2);
    return {
      status: CHANNEL_STATUS.autoDisabled,
      reason: `slow ${seconds} s > ${current.ChannelDisableThreshold} s`,
    };
  }
  const mayEnable = current.AutomaticEnableChannelEnabled && row.status === CHANNEL_STATUS.autoDisabled;
  const isQuick = limit === 0 || outcome.milliseconds <= limit;
  return mayEnable && outcome.isOk && isQuick ? { status: CHANNEL_STATUS.enabled } : undefined;
}

/** Asks the channel's upstream a question in the name of the site; only the log keeps it. */
export async function askChannel(
  dependencies: UpstreamDependencies,
  { channelId, model, asked, signal }: ChannelQuestion,
): Promise<TestOutcome> {
  const row = await channelRow(dependencies, channelId);
  const target = { ...row, ...targetOf(dependencies, row) };
  const outcome = await testCall(dependencies, target, model, { ...ASK_LIMITS, asked, signal });
  await logTest(dependencies, row, outcome, SITE, 'supplierProbe');
  return outcome;
}

export interface ChannelQuestion {
  channelId: number;
  model: string;
  asked: NonNullable<TestLimits['asked']>;
  signal: AbortSignal;
}

const ASK_LIMITS = { timeoutSeconds: 60 };
const SITE: Tester = { id: 0, username: '' };

async function logTest(
  dependencies: UpstreamDependencies,
  row: Row<'channels'>,
  outcome: TestOutcome,
  tester: Tester,
  what: 'channelTest' | 'supplierProbe',
): Promise<void> {
  const { id, name } = row;
  const content = outcome.isOk
    ? factText(what, { id, name, milliseconds: outcome.milliseconds })
    : factText(`${what}Failed`, { id, name, failure: outcome.detail });
  const log = {
    created_at: nowSeconds(dependencies),
    type: SYSTEM_LOG,
    user_id: tester.id,
    username: tester.username,
    model_name: outcome.model,
    upstream_model: outcome.upstreamModel,
    channel_id: row.id,
    channel_name: row.name,
    prompt_tokens: outcome.promptTokens,
    completion_tokens: outcome.completionTokens,
    quota: 0,
    use_time: Math.round(outcome.milliseconds / 1000),
    content,
  };
  await insertLogs(dependencies.store.db, [log]);
}
