// Compares answers to probe questions. Every question is one look at three usual answers: that of the judged channel and two
// that it is compared with. If all three come from the same model and exactly one differs from the other two, it is that of
// the judged channel in one case of three, however often the model changes its answers.
import { sql } from 'kysely';
import type { SignalFinding } from '#contract/suppliers/suppliers.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { plainModelName } from './model-names.ts';
import { answerKey } from './probe-questions.ts';
import { shareOutcome, tailOf } from './statistics.ts';

type Probe = Row<'supplier_probes'>;
export type GivenAnswer = Pick<Probe, 'id' | 'channel_id' | 'model' | 'question' | 'answer' | 'verdict'>;

const ODD_ONE_OF_THREE = 1 / 3;
/** Ten times that of other signals, because answers change only twice a day and not between two looks. */
const ERROR_BOUND = 1e-4;
/** Of so many answers to a question the most frequent one is compared. */
const MOST_ANSWERS = 3;
/** Snapshots of a model, and channels that add a system prompt, differ in a few of the answers that others agree on. */
const USUAL_DIFFERENCES = 0.15;
const JUDGED_SECONDS = 14 * 24 * 3600;
/** An expected answer must have been given this often. */
const LEAST_VOTES = 2;

/** The last answers of each channel to each question, the newest first; twice as many as are compared (see `pairsOf`). */
export async function newestAnswers({ db }: Store, now: number): Promise<GivenAnswer[]> {
  const { rows } = await sql<GivenAnswer>`
    select id, channel_id, model, question, answer, verdict
    from (
      select id, channel_id, model, question, answer, verdict,
        row_number() over (partition by channel_id, model, question order by id desc) as place
      from supplier_probes
      where created_at >= ${now - JUDGED_SECONDS} and verdict <> 'failed'
    ) numbered
    where place <= ${2 * MOST_ANSWERS}
    order by id desc`.execute(db);
  return rows;
}

/** The answer of most trusted channels, else of most others; undefined without two that agree. Newest answers come first. */
export function expectedAnswer(
  answers: readonly Pick<GivenAnswer, 'channel_id' | 'answer'>[],
  trusted: ReadonlySet<number>,
  channelId: number,
): string | undefined {
  const others = answers.filter((each) => each.channel_id !== channelId);
  const ofTrusted = others.filter((each) => trusted.has(each.channel_id));
  const voting =
    ofTrusted.length > 0
      ? ofTrusted
      : others.filter(
          (each, at) => others.findIndex(({ channel_id }) => channel_id === each.channel_id) === at,
        );
  const byKey = [...Map.groupBy(voting, ({ answer }) => answerKey(answer)).values()];
  const most = byKey.find((same) => same.length >= LEAST_VOTES && same.length * 2 > voting.length);
  return most?.[0]?.answer;
}

export function verdictOf(answer: string, expected: string | undefined): 'agrees' | 'differs' | 'unknown' {
  if (expected === undefined) return 'unknown';
  return answerKey(answer) === answerKey(expected) ? 'agrees' : 'differs';
}

/** Answers by question; of one channel to one question the newest first. */
type Sheet = ReadonlyMap<string, readonly string[]>;

/** What the probes of the last two weeks say of each channel and model. */
export async function probeFindings(
  store: Store,
  trusted: ReadonlySet<number>,
  now: number,
): Promise<(channelId: number, model: string) => SignalFinding | undefined> {
  const byModel = Map.groupBy(await newestAnswers(store, now), ({ model }) => plainModelName(model));
  return (channelId, model) => {
    const answers = Map.groupBy(byModel.get(plainModelName(model)) ?? [], (each) => each.channel_id);
    const sheets = new Map([...answers].map(([id, given]) => [id, sheetOf(given)] as const));
    return judge(sheets, trusted, channelId);
  };
}

function sheetOf(answers: readonly GivenAnswer[]): Sheet {
  const byQuestion = Map.groupBy(answers, ({ question }) => question);
  return new Map(
    [...byQuestion].map(([question, given]) => [question, given.map(({ answer }) => answerKey(answer))]),
  );
}

/** By question, the answers of two sides that the judged channel is compared with. */
type Pair = ReadonlyMap<string, readonly [readonly string[], readonly string[]]>;

/** Exported for tests. */
export function judge(
  sheets: ReadonlyMap<number, Sheet>,
  trusted: ReadonlySet<number>,
  channelId: number,
): SignalFinding | undefined {
  const own = sheets.get(channelId);
  const others = [...sheets].filter(([id]) => id !== channelId);
  const ofTrusted = others.filter(([id]) => trusted.has(id));
  const compared = ofTrusted.length > 0 ? 'trusted' : 'others';
  const pairs = pairsOf(
    (ofTrusted.length > 0 ? ofTrusted : others).map(([, sheet]) => sheet),
    compared,
  );
  if (own === undefined || pairs.length === 0) return undefined;
  const counted = pairs.map((pair) => countOdd(own, pair));
  const accusing = counted.filter(
    ({ hits, tries, odd }) =>
      tailOf(hits, odd, ODD_ONE_OF_THREE) < ERROR_BOUND &&
      shareOutcome({ hits, tries }, USUAL_DIFFERENCES).strength >= 2,
  );
  // Fewer accuse where the channels that agree with each other are a minority.
  if (accusing.length * 2 < counted.length) return undefined;
  const [mildest] = accusing.toSorted((left, right) => left.hits / left.tries - right.hits / right.tries);
  if (mildest === undefined) return undefined;
  const { hits, tries } = mildest;
  const figure = Math.round((1000 * hits) / tries) / 1000;
  return { signal: 'probes', penalty: 50, compared, figure, usual: USUAL_DIFFERENCES, hits, tries };
}

/**
 * Of two channels each; the newer answers of a single trusted channel are compared with its older ones, and it is asked twice
 * as often. A single other channel says nothing.
 */
function pairsOf(sheets: readonly Sheet[], compared: 'trusted' | 'others'): Pair[] {
  const [only] = sheets;
  if (compared === 'trusted' && sheets.length === 1 && only !== undefined)
    return [
      new Map(
        [...only].map(([question, given]) => {
          const half = Math.floor(given.length / 2);
          return [question, [given.slice(0, half), given.slice(half)]];
        }),
      ),
    ];
  return sheets.flatMap((left, at) =>
    sheets
      .slice(at + 1)
      .map(
        (right) =>
          new Map([...left].map(([question, given]) => [question, [given, right.get(question) ?? []]])),
      ),
  );
}

/** `tries`: the pair agrees. `hits`: and the channel differs. `odd`: exactly one of the three differs. */
function countOdd(own: Sheet, pair: Pair): { hits: number; tries: number; odd: number } {
  const counts = { hits: 0, tries: 0, odd: 0 };
  for (const [question, answers] of own) {
    const [lefts, rights] = pair.get(question) ?? [[], []];
    // As many of each: the usual one of three answers is odd less often than a single answer.
    const count = Math.min(MOST_ANSWERS, answers.length, lefts.length, rights.length);
    if (count === 0) continue;
    const [answer, left, right] = [answers, lefts, rights].map((given) => usualOf(given.slice(0, count)));
    const isHit = left === right && answer !== left;
    if (left === right) counts.tries += 1;
    if (isHit) counts.hits += 1;
    if (isHit || (left !== right && (answer === left || answer === right))) counts.odd += 1;
  }
  return counts;
}

/** The most frequent one; of several the newest. */
function usualOf(answers: readonly string[]): string | undefined {
  const frequency = (answer: string): number => answers.filter((each) => each === answer).length;
  return answers.toSorted((left, right) => frequency(right) - frequency(left))[0];
}
