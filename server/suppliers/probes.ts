// Asks the probe questions, under a budget of dollars a day. Asked are models that are in use and that at least two channels
// serve, the questions first that were not asked for longest.
import type { Log } from '#contract/context.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import type { RunningSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { listPriceOf } from './assess.ts';
import { dayOf, lastDays, readCounts } from './counts.ts';
import { DAYS_JUDGED } from './score.ts';
import { plainModelName } from './model-names.ts';
import { MOST_ANSWER_TOKENS, PROBE_QUESTIONS, type Question } from './probe-questions.ts';
import { expectedAnswer, newestAnswers, verdictOf } from './probe-verdicts.ts';

export interface AskedChannel {
  channelId: number;
  model: string;
  asked: { text: string; mostTokens: number };
  signal: AbortSignal;
}

export interface ProbeAnswer {
  isOk: boolean;
  text: string;
  promptTokens: number;
  completionTokens: number;
}

export interface ProbeParts {
  store: Store;
  settings: { readonly current: Pick<RunningSettings, 'SupplierProbeBudget' | 'QuotaPerUnit'> };
  log: Log;
  now: () => number;
  ask: (question: AskedChannel) => Promise<ProbeAnswer>;
}

/** One run of the job: the day's budget is spread over its runs. */
export const PROBE_RUN_SECONDS = 1800;
/** Of a model without a list price, so that the budget is kept. */
const DEAR_DOLLARS_PER_MILLION = 60;
const LONGEST_ANSWER = 400;
/** The same question to the same channel: an answer an hour later costs as much and says less. */
const LEAST_SECONDS_BETWEEN = 12 * 3600;
/** A single trusted channel is compared with itself and needs twice as many answers. */
const LEAST_SECONDS_OF_TRUSTED = LEAST_SECONDS_BETWEEN / 2;

export async function runProbes(parts: ProbeParts, signal: AbortSignal): Promise<void> {
  const { store, settings, now } = parts;
  const { SupplierProbeBudget: dollars, QuotaPerUnit } = settings.current;
  if (dollars <= 0) return;
  const spentToday = await sumSpentSince(store, now() - (now() % DAY_SECONDS));
  const spentBefore = await sumSpentSince(store, now() - PROBE_RUN_SECONDS);
  const perRun = Math.max(1, (dollars * QuotaPerUnit * PROBE_RUN_SECONDS) / DAY_SECONDS);
  let left = Math.min(dollars * QuotaPerUnit - spentToday, perRun - spentBefore);
  for (const { channelId, model, question } of await nextProbes(parts)) {
    if (left <= 0 || signal.aborted) break;
    left -= await probe(parts, { channelId, model, question, signal });
  }
  await writeVerdicts(store, now());
}

async function sumSpentSince({ db }: Store, since: number): Promise<number> {
  const { cost } = await db
    .selectFrom('supplier_probes')
    .select(({ fn }) => fn.sum<number | null>('cost').as('cost'))
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow();
  return cost ?? 0;
}

interface NextProbe {
  channelId: number;
  model: string;
  question: Question;
}

/** Every question that is due to every channel of a model, the longest unasked first. */
async function nextProbes({ store, now }: ProbeParts): Promise<NextProbe[]> {
  const today = dayOf(now());
  const [cells, trusted, channels, asked] = await Promise.all([
    readCounts(store, lastDays(today, DAYS_JUDGED)),
    readTrustedChannels(store),
    store.db
      .selectFrom('channels')
      .select('id')
      .where('status', '=', 1)
      .where('deleted_at', 'is', null)
      .execute(),
    store.db
      .selectFrom('supplier_probes')
      .select(['channel_id', 'model', 'question'])
      .select(({ fn }) => fn.max('created_at').as('at'))
      .groupBy(['channel_id', 'model', 'question'])
      .execute(),
  ]);
  const enabled = new Set(channels.map(({ id }) => id));
  const lastAt = new Map(asked.map((row) => [`${row.channel_id} ${row.model} ${row.question}`, row.at]));
  const used = new Map(
    cells
      .filter(({ channelId }) => enabled.has(channelId))
      .map(({ channelId, model }) => [`${channelId} ${model}`, { channelId, model }]),
  );
  const byModel = Map.groupBy(used.values(), ({ model }) => plainModelName(model));
  const served = [...byModel.values()]
    .filter((each) => new Set(each.map(({ channelId }) => channelId)).size >= 2)
    .flat();
  // By question, so that a budget that ends in the middle has asked some questions of all channels.
  return PROBE_QUESTIONS.flatMap((question) =>
    served.map(({ channelId, model }) => ({
      channelId,
      model,
      question,
      at: lastAt.get(`${channelId} ${model} ${question.id}`) ?? 0,
    })),
  )
    .filter(
      ({ at, channelId }) =>
        at <= now() - (trusted.has(channelId) ? LEAST_SECONDS_OF_TRUSTED : LEAST_SECONDS_BETWEEN),
    )
    .toSorted((left, right) => left.at - right.at);
}

/** Returns what it cost. */
async function probe(
  { store, settings, now, log, ask }: ProbeParts,
  { channelId, model, question, signal }: NextProbe & { signal: AbortSignal },
): Promise<number> {
  const asked = { text: question.text, mostTokens: MOST_ANSWER_TOKENS };
  let answer: ProbeAnswer;
  try {
    answer = await ask({ channelId, model, asked, signal });
  } catch (error) {
    log.warn('a probe could not be sent', { channel_id: channelId, model, error });
    answer = { isOk: false, text: '', promptTokens: 0, completionTokens: 0 };
  }
  // The upstream's own count may be a lie that would stretch the budget or end it.
  const tokens = Math.max(
    answer.promptTokens + answer.completionTokens,
    question.text.length + MOST_ANSWER_TOKENS,
  );
  const dollars = (tokens * (listPriceOf(model) ?? DEAR_DOLLARS_PER_MILLION)) / 1e6;
  const cost = Math.ceil(dollars * settings.current.QuotaPerUnit);
  await store.db
    .insertInto('supplier_probes')
    .values({
      created_at: now(),
      channel_id: channelId,
      model,
      question: question.id,
      answer: answer.text.slice(0, LONGEST_ANSWER),
      expected: '',
      verdict: answer.isOk && answer.text !== '' ? 'unknown' : 'failed',
      cost,
    })
    .execute();
  return cost;
}

/** Of the answers that could not be compared before: others may have answered since. */
async function writeVerdicts(store: Store, now: number): Promise<void> {
  const [answers, trusted] = await Promise.all([newestAnswers(store, now), readTrustedChannels(store)]);
  const groups = Map.groupBy(answers, ({ model, question }) => `${plainModelName(model)} ${question}`);
  for (const given of groups.values())
    for (const { id, answer, verdict, channel_id } of given) {
      const expected = verdict === 'unknown' ? expectedAnswer(given, trusted, channel_id) : undefined;
      if (expected === undefined) continue;
      await store.db
        .updateTable('supplier_probes')
        .set({ expected, verdict: verdictOf(answer, expected) })
        .where('id', '=', id)
        .execute();
    }
}

async function readTrustedChannels({ db }: Store): Promise<Set<number>> {
  const rows = await db
    .selectFrom('supplier_scores')
    .select('channel_id')
    .where('is_trusted', '=', 1)
    .execute();
  return new Set(rows.map((row) => row.channel_id));
}
