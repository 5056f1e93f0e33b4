/** @jsxImportSource hono/jsx */
// Ninety days of each model, by maker: posts, the part that was answered, and the state now.
import { answeredShare, callsOf, LEAST_CALLS, type Outcome } from '#contract/admin/measured.ts';
import type { StatusFacts, StatusRow, StatusState } from '#contract/admin/status-page.ts';
import type { Language } from '#contract/language.ts';
import { grouped, percent } from '#server/admin/public-pages/format.ts';
import { StateIcon } from '#server/admin/public-pages/icons.tsx';
import { Monogram, Nothing } from '#server/admin/public-pages/parts.tsx';
import { Strip } from './strip.tsx';
import { STATES, WORDS } from './words.ts';

const TONES = { working: 'success', part: 'warning', off: 'danger' } as const;

function State({ state, language }: { state: StatusState; language: Language }) {
  return (
    <span class={`state${state === 'working' ? '' : ` tone-${TONES[state]}`}`}>
      <StateIcon state={state === 'working' ? 'good' : 'bad'} tone={TONES[state]} />
      {STATES[state][language]}
    </span>
  );
}

/** Never rounded up to what did not happen. */
export const shown = (share: number): string => percent(Math.floor(share * 10_000) / 10_000, 2);

function Share({ of, language }: { of: Outcome; language: Language }) {
  const share = answeredShare(of, LEAST_CALLS.figure);
  if (share === undefined) return <Nothing label={WORDS.few[language]} />;
  return (
    <>
      {shown(share)}
      <small class="unit">%</small>
    </>
  );
}

const postTitle = (row: Pick<StatusRow, 'days'>, language: Language) => (at: number) => {
  const day = row.days[at];
  if (day === undefined) return '';
  const [calls, failed] = [grouped(String(callsOf(day))), grouped(String(day.failed))];
  const share = shown(day.answered / Math.max(1, callsOf(day)));
  return language === 'zh'
    ? `${day.day.slice(5)} 成功 ${share}%，${calls} 次中 ${failed} 次失败`
    : `${day.day.slice(5)} ${share}% answered, ${failed} of ${calls} failed`;
};

interface RowProps {
  row: StatusRow;
  language: Language;
  name: unknown;
  isTerse?: boolean;
}

function Cells({ row, language, name, isTerse = false }: RowProps) {
  const share = answeredShare(row.whole, LEAST_CALLS.figure);
  const label = `${row.name || WORDS.others[language]}, ${WORDS.days[language]}: ${
    share === undefined ? WORDS.few[language] : `${shown(share)}%`
  }`;
  return (
    <>
      <span class="status-name">{name}</span>
      <Strip posts={row.days} label={label} titleOf={postTitle(row, language)} isTerse={isTerse} />
      <span class="number">
        <Share of={row.whole} language={language} />
      </span>
      <State state={row.state} language={language} />
    </>
  );
}

/** Months where they begin, and today. */
function Axis({ days, language }: { days: readonly { day: string }[]; language: Language }) {
  const marks = days.flatMap(({ day }, at) =>
    at === 0 || day.endsWith('-01') ? [{ at, text: day.slice(5) }] : [],
  );
  const apart = marks.filter(({ at }, index) => index === 0 || at - (marks[index - 1]?.at ?? 0) > 12);
  return (
    <span class="status-axis" aria-hidden="true">
      {apart
        .filter(({ at }) => at < days.length - 16)
        .map(({ at, text }) => (
          <span style={{ left: `${((at / days.length) * 100).toFixed(2)}%` }}>{text}</span>
        ))}
      <span class="status-today">{WORDS.today[language]}</span>
    </span>
  );
}

export function Days({ facts, language }: { facts: StatusFacts; language: Language }) {
  const { families, gateway } = facts;
  return (
    <div class="status-days">
      <div class="status-row status-head">
        <span>{WORDS.family[language]}</span>
        <Axis days={gateway.days} language={language} />
        <span class="number">{WORDS.whole[language]}</span>
        <span>{WORDS.now[language]}</span>
      </div>
      {families.map((family) => {
        const { models, state } = family;
        const name = family.name || WORDS.others[language];
        const count =
          language === 'zh'
            ? `${models.length} 个模型`
            : `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
        return (
          <details class="status-family" open={state !== 'working'}>
            <summary class="status-row">
              <Cells
                row={family}
                language={language}
                name={
                  <>
                    <Monogram name={name} /> <b>{name}</b> <span class="muted">{count}</span>
                  </>
                }
              />
            </summary>
            {models.map((row) => (
              <div class="status-row status-model">
                <Cells row={row} language={language} name={row.name} isTerse />
              </div>
            ))}
          </details>
        );
      })}
      <div class="status-row status-head">
        <span>{WORDS.site[language]}</span>
      </div>
      <div class="status-row">
        <Cells
          row={{ ...gateway, name: WORDS.gateway[language] }}
          language={language}
          name={<b>{WORDS.gateway[language]}</b>}
        />
      </div>
    </div>
  );
}
