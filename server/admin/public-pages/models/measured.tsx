/** @jsxImportSource hono/jsx */
// How calls of a model went here: three figures, each by the hour of a day and by the day of a month.
import {
  answeredShare,
  callsOf,
  LEAST_CALLS,
  type Measured,
  type MeasuredPost,
  type Outcome,
} from '#contract/admin/measured.ts';
import type { Language, Text } from '#contract/language.ts';
import { grouped, percent } from '#server/admin/public-pages/format.ts';
import { StateIcon } from '#server/admin/public-pages/icons.tsx';
import { Posts, type Post } from '#server/admin/public-pages/posts.tsx';
import { seconds, Share } from './cells.tsx';
import { WORDS } from './words.ts';

const TEXTS = {
  median: { zh: '中位数', en: 'median' },
  slowest: { zh: '最慢 5% 为', en: 'for the slowest 5%' },
  after: { zh: '中位数，首字之后', en: 'median, after the first token' },
  failed: { zh: '失败', en: 'failed' },
  few: { zh: '调用太少，还说不准。', en: 'Too few calls to say.' },
  scale: { zh: '刻度 0 至', en: 'scale 0 to' },
  basis: { zh: '次', en: 'calls' },
  working: { zh: '正常', en: 'Working' },
  failing: { zh: '部分失败', en: 'Some calls fail' },
  broken: { zh: '大多失败', en: 'Most calls fail' },
  five: { zh: '近 5 分钟', en: 'last 5 minutes' },
} satisfies Record<string, Text>;

export interface MeasuredProps {
  day: Measured;
  month: Measured;
  language: Language;
  zone: string;
}

const timeOf = (post: MeasuredPost, language: Language, zone: string, isDay: boolean): string =>
  new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    ...(isDay ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' }),
    timeZone: zone || 'UTC',
  }).format(post.start * 1000);

function figurePosts(
  { posts }: Measured,
  valueOf: (post: MeasuredPost) => number | undefined,
  most: number,
  titleOf: (post: MeasuredPost, value: number) => string,
): Post[] {
  return posts.map((post, index) => {
    const value = post.isEnough ? valueOf(post) : undefined;
    return {
      value: value === undefined ? undefined : value / most,
      tone: index === posts.length - 1 ? 'now' : 'bar',
      ...(value === undefined ? {} : { title: titleOf(post, value) }),
    };
  });
}

/** Healthy posts are lower than failing ones, so that these stick out without colour too. */
function answeredPosts({ posts }: Measured, titleOf: (post: MeasuredPost, share: number) => string): Post[] {
  return posts.map((post) => {
    const calls = callsOf(post);
    const share = calls === 0 ? 1 : post.answered / calls;
    const tone = share < 0.95 ? 'bad' : share < 0.99 ? 'warned' : 'good';
    return {
      value: post.isEnough ? (tone === 'bad' ? 1 : 0.75) : undefined,
      tone,
      ...(post.isEnough ? { title: titleOf(post, share) } : {}),
    };
  });
}

interface StripsProps {
  name: string;
  day: readonly Post[];
  month: readonly Post[];
  notes: readonly [day: string, month: string];
  language: Language;
}

function Strips({ name, day, month, notes, language }: StripsProps) {
  return (
    <div class="strips">
      {(
        [
          [WORDS.day, day, notes[0]],
          [WORDS.month, month, notes[1]],
        ] as const
      ).map(([span, posts, note]) => (
        <div>
          <Posts posts={posts} label={`${name}, ${span[language]}: ${note}`} />
          <div class="strip-note">
            <span>{span[language]}</span>
            <span>{note}</span>
          </div>
        </div>
      ))}
    </div>
  );
}

const range = (values: readonly number[], text: (value: number) => string, language: Language): string =>
  values.length === 0
    ? WORDS.fewCalls[language]
    : `${text(Math.min(...values))} – ${text(Math.max(...values))}`;

interface SpreadCellProps extends MeasuredProps {
  name: Text;
  unit: string;
  pick: 'firstToken' | 'speed';
  text: (value: number) => string;
}

function SpreadCell({ name, unit, pick, text, day, month, language, zone }: SpreadCellProps) {
  const figure = day.figures[pick] ?? month.figures[pick];
  const valuesOf = (measured: Measured) =>
    measured.posts.flatMap((post) => (post.isEnough && post[pick] !== undefined ? [post[pick]] : []));
  const most = Math.max(1e-9, ...valuesOf(day), ...valuesOf(month)) * 1.1;
  const strip = (measured: Measured, isDay: boolean) =>
    figurePosts(
      measured,
      (post) => post[pick],
      most,
      (post, value) => `${timeOf(post, language, zone, isDay)} · ${text(value)} ${unit}`,
    );
  return (
    <div>
      <div class="label">{name[language]}</div>
      {figure === undefined ? (
        <p class="few">{TEXTS.few[language]}</p>
      ) : (
        <div>
          <span class="figure">
            {text(figure.median)}
            <small>{unit}</small>
          </span>{' '}
          <span class="note">
            {pick === 'speed'
              ? TEXTS.after[language]
              : language === 'zh'
                ? `${TEXTS.median.zh} · ${TEXTS.slowest.zh} ${text(figure.slow)} s`
                : `${TEXTS.median.en} · ${text(figure.slow)} s ${TEXTS.slowest.en}`}
          </span>
        </div>
      )}
      <Strips
        name={name[language]}
        day={strip(day, false)}
        month={strip(month, true)}
        notes={[range(valuesOf(day), text, language), range(valuesOf(month), text, language)]}
        language={language}
      />
      {figure === undefined ? null : (
        <p class="note">
          {grouped(String(figure.calls))} {TEXTS.basis[language]} · {TEXTS.scale[language]} {text(most)}{' '}
          {unit}
        </p>
      )}
    </div>
  );
}

function AnsweredCell({ day, month, language, zone }: MeasuredProps) {
  const share = day.figures.share ?? month.figures.share;
  const strip = (measured: Measured, isDay: boolean) =>
    answeredPosts(
      measured,
      (post, part) =>
        `${timeOf(post, language, zone, isDay)} · ${percent(part, 2)}% · ${post.failed}/${callsOf(post)} ${TEXTS.failed[language]}`,
    );
  const note = ({ figures }: Measured) =>
    `${grouped(String(figures.failed))}/${grouped(String(callsOf(figures)))} ${TEXTS.failed[language]}`;
  return (
    <div>
      <div class="label">{WORDS.answered[language]}</div>
      {share === undefined ? (
        <p class="few">{TEXTS.few[language]}</p>
      ) : (
        <div>
          <span class="figure">
            <Share share={share} />
          </span>{' '}
          <span class="note">
            {WORDS.day[language]}
            {day.figures.share === undefined || month.figures.share === undefined
              ? ''
              : ` · ${percent(month.figures.share, 2)}% ${WORDS.month[language]}`}
          </span>
        </div>
      )}
      <Strips
        name={WORDS.answered[language]}
        day={strip(day, false)}
        month={strip(month, true)}
        notes={[note(day), note(month)]}
        language={language}
      />
    </div>
  );
}

/** The last five minutes; nothing is said of too few calls. */
export function StateNow({ now, language }: { now: Outcome | undefined; language: Language }) {
  const share = now === undefined ? undefined : answeredShare(now, LEAST_CALLS.now);
  if (share === undefined) return null;
  const [state, tone, text] =
    share >= 0.99
      ? (['good', 'success', TEXTS.working] as const)
      : (['bad', share >= 0.5 ? 'warning' : 'danger', share >= 0.5 ? TEXTS.failing : TEXTS.broken] as const);
  return (
    <span class="state">
      <StateIcon state={state} tone={tone} />
      {text[language]}, {TEXTS.five[language]}
    </span>
  );
}

/** Beside the title: what the figures are made of. */
export function basisOf({ day, month, language }: MeasuredProps): string {
  const [inDay, inMonth] = [day, month].map(({ figures }) => grouped(String(callsOf(figures))));
  return language === 'zh'
    ? `全部客户的付费调用，不含探测：24 小时 ${inDay} 次，30 天 ${inMonth} 次。不足 ${LEAST_CALLS.post} 次的柱留空。`
    : `paid calls of all customers, without probes: ${inDay} in 24 h and ${inMonth} in 30 days. Bars with fewer than ${LEAST_CALLS.post} calls stay empty.`;
}

export function MeasuredSheet(props: MeasuredProps) {
  return (
    <div class="cells single measured">
      <SpreadCell {...props} name={WORDS.firstToken} unit="s" pick="firstToken" text={seconds} />
      <SpreadCell
        {...props}
        name={WORDS.speed}
        unit="tok/s"
        pick="speed"
        text={(value) => String(Math.round(value))}
      />
      <AnsweredCell {...props} />
    </div>
  );
}
