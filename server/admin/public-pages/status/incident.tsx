/** @jsxImportSource hono/jsx */
// An incident: what it is about, how long it lasted, and its lines, each with who says it.
import type { Incident, IncidentLine } from '#contract/admin/incidents.ts';
import type { Language } from '#contract/language.ts';
import { siteDay } from '#contract/site-day.ts';
import { grouped } from '#server/admin/public-pages/format.ts';
import { StateIcon } from '#server/admin/public-pages/icons.tsx';
import { linkTo, type Asked } from '#server/admin/public-pages/page.ts';
import { duration, WORDS } from './words.ts';

export interface IncidentProps {
  asked: Asked;
  incident: Incident;
  at: number;
  zone: string;
}

const COMMAS: Record<Language, string> = { zh: '，', en: ', ' };

/** The operator's text in this language, else in the other one. */
const either = (zh: string, en: string, language: Language): string =>
  (language === 'zh' ? zh || en : en || zh).trim();

export const titleOf = ({ title_zh, title_en }: Incident, language: Language): string =>
  either(title_zh, title_en, language);
export const lineText = ({ text_zh, text_en }: IncidentLine, language: Language): string =>
  either(text_zh, text_en, language);

export function clock(seconds: number, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(
    seconds * 1000,
  );
}

/** With its day, unless it is the same one. */
function moment(seconds: number, zone: string, than: number): string {
  const [day, other] = [siteDay(zone, seconds), siteDay(zone, than)];
  return day === other ? clock(seconds, zone) : `${day.slice(5)} ${clock(seconds, zone)}`;
}

export function affected({ models, refused, kind }: Incident, language: Language): string {
  const parts: string[] = [];
  if (models.length > 0)
    parts.push(
      language === 'zh'
        ? `影响 ${models.length} 个模型`
        : `${models.length} ${models.length === 1 ? 'model' : 'models'}`,
    );
  if (refused > 0) {
    const count = grouped(String(refused));
    parts.push(
      language === 'zh'
        ? `${count} 次请求被拒绝，均未扣费`
        : `${count} ${refused === 1 ? 'call was' : 'calls were'} refused, none was charged`,
    );
  } else if (kind === 'measured') parts.push(language === 'zh' ? '没有请求被拒绝' : 'no call was refused');
  return parts.join(COMMAS[language]);
}

function Lines({ incident, zone, asked: { language } }: Pick<IncidentProps, 'incident' | 'zone' | 'asked'>) {
  return (
    <ol class="incident-lines">
      {incident.lines.map((line) => (
        <li data-source={line.source}>
          <time datetime={new Date(line.at * 1000).toISOString()}>
            {moment(line.at, zone, incident.begun_at)}
          </time>
          <span class={line.source === 'operator' ? 'tag' : 'muted'}>{WORDS[line.source][language]}</span>
          <span class="incident-text">{lineText(line, language)}</span>
        </li>
      ))}
    </ol>
  );
}

export function RunningIncident({ asked, incident, at, zone }: IncidentProps) {
  const { language } = asked;
  const isPlanned = incident.begun_at > at;
  const comma = COMMAS[language];
  return (
    <article class="incident" id={`incident-${incident.id}`} data-planned={isPlanned ? 'true' : undefined}>
      <div class="head-line">
        <h3>{titleOf(incident, language)}</h3>
        <span class={`state ${isPlanned ? '' : 'tone-danger'}`}>
          {isPlanned ? null : <StateIcon state="bad" tone="danger" />}
          {isPlanned
            ? `${WORDS.planned[language]}${comma}${moment(incident.begun_at, zone, at)}`
            : `${WORDS.going[language]}${comma}${duration(at - incident.begun_at)[language]}`}
        </span>
        <a class="incident-link" href={linkTo(asked, `/status#incident-${incident.id}`)}>
          {WORDS.permalink[language]}
        </a>
      </div>
      <p class="note">{affected(incident, language)}</p>
      {incident.models.length === 0 ? null : <p class="note">{incident.models.join(' · ')}</p>}
      <Lines incident={incident} zone={zone} asked={asked} />
    </article>
  );
}

export function PastIncident({ asked, incident, zone }: IncidentProps) {
  const { language } = asked;
  const { begun_at, ended_at } = incident;
  const to = language === 'zh' ? '至' : 'to';
  return (
    <details class="past-incident" id={`incident-${incident.id}`}>
      <summary>
        <time class="muted">{siteDay(zone, begun_at).slice(5)}</time>
        <span class="past-title">{titleOf(incident, language)}</span>
        <span class="muted">
          {clock(begun_at, zone)} {to} {moment(ended_at, zone, begun_at)}
          {COMMAS[language]}
          {duration(ended_at - begun_at)[language]}
        </span>
        <span class="muted">{affected(incident, language)}</span>
      </summary>
      <Lines incident={incident} zone={zone} asked={asked} />
    </details>
  );
}
