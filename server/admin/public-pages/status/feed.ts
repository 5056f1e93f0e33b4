// The status for programs: incidents as an Atom feed, and everything as JSON.
import { answeredShare, callsOf, LEAST_CALLS, type Outcome } from '#contract/admin/measured.ts';
import type { Incident } from '#contract/admin/incidents.ts';
import type { StatusFacts, StatusRow } from '#contract/admin/status-page.ts';
import type { Language } from '#contract/language.ts';
import { addressIn, type Asked, type PublicPage } from '#server/admin/public-pages/page.ts';
import { affected, lineText, titleOf } from './incident.tsx';
import { statusHeadline } from './status-page.tsx';
import { WORDS } from './words.ts';

const FEED_PATH = '/status.atom';
const JSON_PATH = '/status.json';

const xml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    // Characters that XML does not have.
    // oxlint-disable-next-line no-control-regex -- these are what is removed
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');

const time = (seconds: number): string => new Date(seconds * 1000).toISOString();

const lastChange = ({ begun_at, ended_at, updated_at, lines }: Incident): number =>
  Math.max(begun_at, ended_at, updated_at, ...lines.map(({ at }) => at));

function entry(asked: Asked, incident: Incident): string {
  const { language, site } = asked;
  const address = `${addressIn({ site, path: '/status', query: new URLSearchParams() }, language)}#incident-${incident.id}`;
  const lines = incident.lines.map(
    (line) => `${time(line.at)} ${WORDS[line.source][language]}: ${lineText(line, language)}`,
  );
  return `<entry>
<id>${xml(`${site.address}/status#incident-${incident.id}`)}</id>
<title>${xml(titleOf(incident, language))}</title>
<link href="${xml(address)}"/>
<published>${time(incident.begun_at)}</published>
<updated>${time(lastChange(incident))}</updated>
<content type="text">${xml([affected(incident, language), ...lines].filter((text) => text !== '').join('\n'))}</content>
</entry>`;
}

export function statusFeed(read: () => Promise<StatusFacts>): PublicPage {
  return {
    matches: (path) => path === FEED_PATH,
    async render(asked) {
      const { site, language } = asked;
      if (!site.settings.PublicStatusEnabled) return undefined;
      const facts = await read();
      const updated = Math.max(0, ...facts.incidents.map(lastChange)) || facts.at;
      const name = `${site.name} · ${WORDS.title[language]}`;
      const body = [
        '<?xml version="1.0" encoding="utf-8"?>',
        `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language === 'zh' ? 'zh-CN' : 'en'}">`,
        `<id>${xml(`${site.address}${FEED_PATH}`)}</id>`,
        `<title>${xml(name)}</title>`,
        `<subtitle>${xml(statusHeadline(facts)[language])}</subtitle>`,
        `<link rel="self" href="${xml(addressIn(asked, language))}"/>`,
        `<link href="${xml(addressIn({ ...asked, path: '/status' }, language))}"/>`,
        `<updated>${time(updated)}</updated>`,
        `<author><name>${xml(site.name)}</name></author>`,
        ...facts.incidents.map((incident) => entry(asked, incident)),
        '</feed>',
        '',
      ].join('\n');
      return { body, type: 'application/atom+xml; charset=utf-8' };
    },
  };
}

const outcomeOf = (outcome: Outcome, least: number) => ({
  calls: callsOf(outcome),
  failed: outcome.failed,
  /** Null: too few calls. */
  answered: answeredShare(outcome, least) ?? null,
});

const rowOf = ({ name, state, whole, days }: StatusRow) => ({
  name,
  state,
  ...outcomeOf(whole, LEAST_CALLS.figure),
  days: days.map(({ day, ...outcome }) => ({ day, ...outcomeOf(outcome, LEAST_CALLS.post) })),
});

const textIn = (zh: string, en: string): Record<Language, string> => ({ zh: zh || en, en: en || zh });

function incidentOf({ id, kind, title_zh, title_en, models, begun_at, ended_at, refused, lines }: Incident) {
  return {
    id,
    source: kind,
    title: textIn(title_zh, title_en),
    models,
    begun_at,
    ended_at: ended_at === 0 ? null : ended_at,
    refused_calls: refused,
    lines: lines.map(({ at, source, text_zh, text_en }) => ({ at, source, text: textIn(text_zh, text_en) })),
  };
}

export function statusJson(read: () => Promise<StatusFacts>): PublicPage {
  return {
    matches: (path) => path === JSON_PATH,
    isWithoutLanguage: true,
    async render({ site }) {
      if (!site.settings.PublicStatusEnabled) return undefined;
      const facts = await read();
      const { gateway, firstToken, topUps } = facts;
      const body = {
        site: site.name,
        made_at: facts.at,
        time_zone: facts.zone,
        summary: statusHeadline(facts),
        last_five_minutes: outcomeOf(facts.now, LEAST_CALLS.now),
        first_token_ms: firstToken === undefined ? null : Math.round(firstToken.median),
        top_up_seconds:
          topUps === undefined
            ? null
            : { median: topUps.median, slowest: topUps.slowest, count: topUps.count },
        models: facts.families.flatMap(({ name: maker, models }) =>
          models.map((row) => ({ maker: maker === '' ? null : maker, ...rowOf(row) })),
        ),
        gateway: rowOf({ ...gateway, name: 'gateway' }),
        incidents: facts.incidents.map(incidentOf),
      };
      return { body: `${JSON.stringify(body)}\n`, type: 'application/json; charset=utf-8' };
    },
  };
}
