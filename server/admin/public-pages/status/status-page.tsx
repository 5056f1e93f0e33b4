/** @jsxImportSource hono/jsx */
// The status page: how it is now, the last 90 days, incidents, and how all of it is measured.
import { answeredShare, callsOf, LEAST_CALLS } from '#contract/admin/measured.ts';
import type { StatusFacts } from '#contract/admin/status-page.ts';
import type { Language } from '#contract/language.ts';
import { grouped } from '#server/admin/public-pages/format.ts';
import { StateIcon } from '#server/admin/public-pages/icons.tsx';
import { pageHtml } from '#server/admin/public-pages/layout.tsx';
import { linkTo, type Asked, type PublicPage } from '#server/admin/public-pages/page.ts';
import { Figure, Sheet } from '#server/admin/public-pages/parts.tsx';
import { Days, shown } from './days.tsx';
import { clock, PastIncident, RunningIncident } from './incident.tsx';
import { Strip } from './strip.tsx';
import { dayMethod, headline, METHOD, WORDS } from './words.ts';

const SECTIONS = [
  ['now', WORDS.now],
  ['days', WORDS.days],
  ['incidents', WORDS.incidents],
  ['subscribe', WORDS.subscribe],
  ['method', WORDS.method],
] as const;

export function statusHeadline(facts: StatusFacts) {
  const rows = facts.families.flatMap(({ models }) => models);
  const named = (state: string) => rows.filter((row) => row.state === state).map(({ name }) => name);
  return headline(named('off'), named('part'), facts.models);
}

function Now({ facts, language }: { facts: StatusFacts; language: Language }) {
  const { now, firstToken, topUps, steps } = facts;
  const share = answeredShare(now, LEAST_CALLS.now);
  const few = <span class="few">{WORDS.few[language]}</span>;
  const zh = language === 'zh';
  const [calls, failed] = [grouped(String(callsOf(now))), grouped(String(now.failed))];
  const inHour = steps.reduce(
    (sum, step) => ({ answered: sum.answered + step.answered, failed: sum.failed + step.failed, refused: 0 }),
    { answered: 0, failed: 0, refused: 0 },
  );
  const hourShare = answeredShare(inHour, LEAST_CALLS.now);
  return (
    <div class="cells" id="now">
      <Figure
        label={WORDS.answered[language]}
        value={share === undefined ? few : shown(share)}
        {...(share === undefined ? {} : { unit: '%' })}
        note={zh ? `${calls} 次调用，${failed} 次失败` : `${calls} calls, ${failed} failed`}
      />
      <Figure
        label={WORDS.first[language]}
        value={firstToken === undefined ? few : (firstToken.median / 1000).toFixed(2)}
        {...(firstToken === undefined ? {} : { unit: 's' })}
        note={
          firstToken === undefined
            ? ''
            : zh
              ? `近 24 小时 ${grouped(String(firstToken.calls))} 次流式调用`
              : `${grouped(String(firstToken.calls))} streams in 24 h`
        }
      />
      <Figure
        label={WORDS.topUp[language]}
        value={topUps === undefined ? <span class="few">{WORDS.fewOrders[language]}</span> : topUps.median}
        {...(topUps === undefined ? {} : { unit: 's' })}
        note={
          topUps === undefined
            ? ''
            : zh
              ? `近 7 天 ${topUps.count} 笔，最慢 ${topUps.slowest} s`
              : `${topUps.count} in 7 days, the slowest ${topUps.slowest} s`
        }
      />
      <Figure
        label={WORDS.hour[language]}
        value={
          <Strip
            posts={steps}
            least={LEAST_CALLS.now}
            label={WORDS.hour[language]}
            titleOf={(at) => {
              const step = steps[at];
              return step === undefined
                ? ''
                : `${clock(step.start, facts.zone)} · ${step.failed}/${callsOf(step)}`;
            }}
          />
        }
        note={
          hourShare === undefined
            ? WORDS.few[language]
            : zh
              ? `${grouped(String(callsOf(inHour)))} 次，${shown(hourShare)}% 成功，${grouped(String(inHour.failed))} 次失败`
              : `${grouped(String(callsOf(inHour)))} calls, ${shown(hourShare)}% answered, ${grouped(String(inHour.failed))} failed`
        }
      />
    </div>
  );
}

const LEGEND = [
  ['good', { zh: '99% 以上', en: '99% and more' }],
  ['warned', { zh: '95–99%', en: '95–99%' }],
  ['bad', { zh: '低于 95%', en: 'below 95%' }],
  ['none', { zh: '不足 50 次', en: 'below 50 calls' }],
] as const;

const EXAMPLES = {
  good: { answered: 100, failed: 0, refused: 0 },
  warned: { answered: 97, failed: 3, refused: 0 },
  bad: { answered: 50, failed: 50, refused: 0 },
  none: { answered: 0, failed: 0, refused: 0 },
};

function Legend({ language }: { language: Language }) {
  return (
    <span class="status-legend">
      {LEGEND.map(([tone, text]) => (
        <span>
          <Strip posts={[EXAMPLES[tone]]} label="" titleOf={() => text[language]} /> {text[language]}
        </span>
      ))}
    </span>
  );
}

function Subscribe({ asked }: { asked: Asked }) {
  const { language } = asked;
  return (
    <Sheet id="subscribe" title={WORDS.subscribe[language]} note={WORDS.subscribeNote[language]}>
      <dl class="status-list">
        <dt>Atom</dt>
        <dd>
          <a href={linkTo(asked, '/status.atom')}>
            <code>/status.atom</code>
          </a>
        </dd>
        <dt>JSON</dt>
        <dd>
          <a href="/status.json">
            <code>/status.json</code>
          </a>
        </dd>
      </dl>
    </Sheet>
  );
}

function Method({ zone, language }: { zone: string; language: Language }) {
  return (
    <Sheet id="method" title={WORDS.method[language]}>
      <dl class="status-list">
        {[...METHOD, dayMethod(zone)].map(([term, text]) => (
          <>
            <dt>{term[language]}</dt>
            <dd>{text[language]}</dd>
          </>
        ))}
      </dl>
    </Sheet>
  );
}

function Incidents({ asked, facts }: { asked: Asked; facts: StatusFacts }) {
  const { language } = asked;
  const { incidents, at, zone } = facts;
  const running = incidents.filter(({ ended_at }) => ended_at === 0);
  const past = incidents.filter(({ ended_at }) => ended_at > 0);
  const count = running.length;
  return (
    <Sheet
      id="incidents"
      title={WORDS.incidents[language]}
      note={count === 0 ? undefined : language === 'zh' ? `${count} 个进行中` : `${count} going on`}
    >
      {incidents.length === 0 ? <p class="status-none">{WORDS.none[language]}</p> : null}
      {running.map((incident) => (
        <RunningIncident asked={asked} incident={incident} at={at} zone={zone} />
      ))}
      {past.map((incident) => (
        <PastIncident asked={asked} incident={incident} at={at} zone={zone} />
      ))}
    </Sheet>
  );
}

function Content({ asked, facts }: { asked: Asked; facts: StatusFacts }) {
  const { language } = asked;
  const { at, zone, isMeasured } = facts;
  const isWell = facts.families.every(({ state }) => state === 'working');
  return (
    <>
      <div class="page-head">
        <div class="head-line">
          <h1>
            <StateIcon state={isWell ? 'good' : 'bad'} tone={isWell ? 'success' : 'danger'} />
            {statusHeadline(facts)[language]}
          </h1>
          <span class="note status-made">
            {language === 'zh'
              ? `${clock(at, zone)} 更新，每分钟一次，${zone}`
              : `Updated at ${clock(at, zone)}, every minute, ${zone}`}
          </span>
        </div>
        {isMeasured ? null : <p class="note">{WORDS.off[language]}</p>}
      </div>
      <Now facts={facts} language={language} />
      <Sheet
        id="days"
        title={WORDS.days[language]}
        note={WORDS.perDay[language]}
        end={<Legend language={language} />}
      >
        <Days facts={facts} language={language} />
      </Sheet>
      <div class="halves status-halves">
        <Incidents asked={asked} facts={facts} />
        <div>
          <Subscribe asked={asked} />
          <Method zone={zone} language={language} />
        </div>
      </div>
    </>
  );
}

export function statusPage(read: () => Promise<StatusFacts>): PublicPage {
  return {
    matches: (path) => path === '/status',
    listed: ({ settings }) => (settings.PublicStatusEnabled ? ['/status'] : []),
    async render(asked) {
      const { site, language } = asked;
      if (!site.settings.PublicStatusEnabled) return undefined;
      const facts = await read();
      const calls = facts.families.reduce((sum, { whole }) => sum + callsOf(whole), 0);
      const total = grouped(String(calls));
      return {
        body: pageHtml({
          asked,
          title: WORDS.title[language],
          description: `${statusHeadline(facts)[language]}${WORDS.about[language]}`,
          current: 'status',
          sections: SECTIONS,
          footnote: language === 'zh' ? `近 90 天共 ${total} 次调用` : `${total} calls in 90 days`,
          children: <Content asked={asked} facts={facts} />,
        }),
      };
    },
  };
}
