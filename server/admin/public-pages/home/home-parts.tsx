/** @jsxImportSource hono/jsx */
// Parts of the first page.
import { announcementIn, type Announcement } from '#contract/admin/announcements.ts';
import { questionIn, type Question } from '#contract/admin/faq.ts';
import type { MeasuredFigures } from '#contract/admin/measured.ts';
import { callsOf } from '#contract/admin/measured.ts';
import type { Language } from '#contract/language.ts';
import type { StatusView } from '#contract/admin/site.ts';
import type { PublicCatalogue } from '#server/admin/public-model.ts';
import { dateOf, digitsOf, grouped, money } from '#server/admin/public-pages/format.ts';
import { Icon } from '#server/admin/public-pages/icons.tsx';
import { Share } from '#server/admin/public-pages/models/cells.tsx';
import { cheapestInput } from '#server/admin/public-pages/models/listed.ts';
import { WORDS as MODEL_WORDS } from '#server/admin/public-pages/models/words.ts';
import { plainSamples, sampleModel } from '#server/admin/public-pages/models/samples.ts';
import { markdownOf } from '#server/admin/public-pages/operator-html.ts';
import type { Asked, Site } from '#server/admin/public-pages/page.ts';
import { CodeTabs, CopyButton, Figure, Sheet } from '#server/admin/public-pages/parts.tsx';
import { STEPS, topUpText, WORDS } from './words.ts';

export interface HomeFacts {
  readonly asked: Asked;
  /** Undefined: the catalogue is not public. */
  readonly catalogue: PublicCatalogue | undefined;
  readonly topUpPrices: StatusView['top_up_prices'];
  /** Undefined: the measured figures are not public. */
  readonly measured: ReadonlyMap<string, MeasuredFigures> | undefined;
  readonly site: MeasuredFigures | undefined;
}

export function Hero({ asked, catalogue }: HomeFacts) {
  const { site, language } = asked;
  const model = sampleModel(catalogue?.models ?? []);
  return (
    <section class="hero">
      <div>
        <h1>{WORDS.headline[language]}</h1>
        <p class="lead">{WORDS.lead[language]}</p>
        <div class="base-url">
          <span>{WORDS.baseUrl[language]}</span>
          <code id="base-url">{site.address}/v1</code>
          <CopyButton language={language} label={WORDS.copyBaseUrl} of="#base-url" />
        </div>
        <div class="hero-actions">
          {site.settings.RegisterEnabled ? (
            <a class="button filled large visitor-only" href="/register">
              {WORDS.getKey[language]} <Icon name="arrow" size={15} />
            </a>
          ) : null}
          <a class="button large visitor-only" href="/login">
            {WORDS.signIn[language]}
          </a>
          <a class="button filled large user-only" href="/token">
            {WORDS.openConsole[language]} <Icon name="arrow" size={15} />
          </a>
        </div>
      </div>
      {model === undefined ? null : (
        <CodeTabs
          id="example"
          language={language}
          label={WORDS.example}
          copyLabel={WORDS.copyExample}
          samples={plainSamples(model, site.address)}
        />
      )}
    </section>
  );
}

export function Figures({ asked, catalogue, topUpPrices, site }: HomeFacts) {
  const { language } = asked;
  const from = catalogue === undefined ? undefined : cheapestInput(catalogue);
  const vendors = new Set(catalogue?.models.map(({ vendor }) => vendor).filter(Boolean)).size;
  return (
    <div class="cells">
      {catalogue === undefined ? null : (
        <Figure
          label={WORDS.modelsSold[language]}
          value={catalogue.models.length}
          note={`${vendors} ${WORDS.vendors[language]}`}
        />
      )}
      {from === undefined ? null : (
        <Figure
          label={WORDS.from[language]}
          value={
            <>
              <span class="sign">$</span>
              {digitsOf(from)}
            </>
          }
          note={WORDS.perMillion[language]}
        />
      )}
      {site === undefined ? null : (
        <Figure
          label={WORDS.answered[language]}
          value={
            site.share === undefined ? (
              <span class="few">{MODEL_WORDS.fewCalls[language]}</span>
            ) : (
              <Share share={site.share} />
            )
          }
          note={`${grouped(String(callsOf(site)))} ${WORDS.ofCalls[language]}`}
        />
      )}
      {topUpPrices.slice(0, 1).map(({ currency, price }) => (
        <Figure
          label={WORDS.topUp[language]}
          value={money(price, currency, language)}
          note={WORDS.perDollar[language]}
        />
      ))}
    </div>
  );
}

export function Steps({ language }: { language: Language }) {
  return (
    <Sheet title={WORDS.steps[language]}>
      <ol class="steps">
        {STEPS.map(([title, text], index) => (
          <li>
            <svg width="15" height="16" viewBox="0 0 15 16" aria-hidden="true">
              {STEPS.map((_, place) => (
                <rect class={place <= index ? 'post-now' : 'post-none'} x={place * 6} width="3" height="16" />
              ))}
            </svg>
            <b>{title[language]}</b>
            <p class="soft">{text[language]}</p>
          </li>
        ))}
      </ol>
    </Sheet>
  );
}

function loginsOf({ settings }: Site, language: Language): string[] {
  const all: (readonly [boolean, string])[] = [
    [settings.PasswordLoginEnabled, WORDS.password[language]],
    [settings.GitHubOAuthEnabled, 'GitHub'],
    [settings.LinuxDOOAuthEnabled, 'LinuxDO'],
    [settings.OIDCEnabled, settings.OIDCName || 'OIDC'],
    [settings.WeChatAuthEnabled, WORDS.wechat[language]],
    [settings.TelegramOAuthEnabled, 'Telegram'],
    [true, WORDS.passkey[language]],
  ];
  return all.filter(([isOn]) => isOn).map(([, name]) => name);
}

export function Installation({ asked, topUpPrices }: HomeFacts) {
  const { site, language } = asked;
  const { settings } = site;
  const registration = !settings.RegisterEnabled
    ? 'closed'
    : settings.EmailVerificationEnabled
      ? 'verified'
      : 'open';
  const prices = topUpPrices.map(({ currency, price }) => money(price, currency, language)).join(' · ');
  const facts = [
    [WORDS.unit, `$1 = ${grouped(String(settings.QuotaPerUnit))} ${WORDS.quota[language]}`],
    // Without a way to pay there is no price.
    ...(topUpPrices.length > 0
      ? [[WORDS.topUp, topUpText(prices, settings.MinTopUp)[language]] as const]
      : []),
    [WORDS.registration, WORDS[registration][language]],
    [WORDS.login, loginsOf(site, language).join(language === 'zh' ? '、' : ', ')],
    [WORDS.version, site.version],
  ] as const;
  return (
    <Sheet title={WORDS.facts[language]}>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div>
            <dt>{name[language]}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}

export function News({ asked, announcements }: { asked: Asked; announcements: readonly Announcement[] }) {
  const { language, site } = asked;
  if (announcements.length === 0) return null;
  return (
    <Sheet id="announcements" title={WORDS.news[language]}>
      <ul class="news">
        {announcements.map((announcement) => {
          const { title, content } = announcementIn(language, announcement);
          const { created_at, from_at } = announcement;
          return (
            <li>
              <p class="note">{dateOf(from_at || created_at, language, site.settings.SiteTimeZone)}</p>
              {title === '' ? null : <b>{title}</b>}
              <div class="prose" dangerouslySetInnerHTML={{ __html: markdownOf(content) }} />
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}

export function Questions({ language, questions }: { language: Language; questions: readonly Question[] }) {
  if (questions.length === 0) return null;
  return (
    <Sheet id="questions" title={WORDS.questions[language]}>
      {questions
        .map((entry) => questionIn(language, entry))
        .map(({ question, answer }) => (
          <details class="question">
            <summary>{question}</summary>
            <div class="prose" dangerouslySetInnerHTML={{ __html: markdownOf(answer) }} />
          </details>
        ))}
    </Sheet>
  );
}
