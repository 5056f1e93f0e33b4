/** @jsxImportSource hono/jsx */
// /: what is sold here, or the operator's own page in its place. The notice is above either, the questions below.
import { inLanguage } from '#contract/language.ts';
import { contentKind } from '#contract/relay/content-kind.ts';
import { questionIn, type Question } from '#contract/admin/faq.ts';
import type { PageFacts } from '#server/admin/public-pages/facts.ts';
import { digitsOf } from '#server/admin/public-pages/format.ts';
import { Icon } from '#server/admin/public-pages/icons.tsx';
import { pageHtml } from '#server/admin/public-pages/layout.tsx';
import { cheapestInput, measuredShown } from '#server/admin/public-pages/models/listed.ts';
import { markdownOf, plainStart } from '#server/admin/public-pages/operator-html.ts';
import { addressIn, linkTo, type Asked, type PublicPage } from '#server/admin/public-pages/page.ts';
import { Sheet } from '#server/admin/public-pages/parts.tsx';
import { PlanTable } from '#server/admin/public-pages/plans/plans.tsx';
import { WORDS as FRAME } from '#server/admin/public-pages/words.ts';
import { Figures, Hero, Installation, News, Questions, Steps, type HomeFacts } from './home-parts.tsx';
import { ModelsOnSale } from './models-on-sale.tsx';
import { textHash } from './text-hash.ts';
import { WORDS } from './words.ts';

const SANDBOX = 'allow-scripts allow-popups allow-forms';
const MOST_NEWS = 3;

function Notice({ asked }: { asked: Asked }) {
  const { Notice: plain, NoticeEn } = asked.site.settings;
  const text = inLanguage(asked.language, plain, NoticeEn).trim();
  if (text === '') return null;
  return (
    <div class="notice" role="note" aria-label={WORDS.notice[asked.language]} data-notice={textHash(text)}>
      <div class="prose" dangerouslySetInnerHTML={{ __html: markdownOf(text) }} />
      <button type="button" class="icon-button" data-needs-script aria-label={FRAME.close[asked.language]}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}

/** An address or a whole page: framed without shared origin, under its own policy. */
function Framed({ asked, content }: { asked: Asked; content: string }) {
  const source =
    contentKind(content) === 'url'
      ? content.trim()
      : `/content/home?lang=${asked.language}&v=${textHash(content)}`;
  return (
    <iframe
      class="frame"
      src={source}
      title={WORDS.title[asked.language]}
      sandbox={SANDBOX}
      referrerpolicy="no-referrer"
    />
  );
}

function descriptionOf({ asked, catalogue }: HomeFacts): string {
  const { site, language } = asked;
  const from = catalogue === undefined ? undefined : cheapestInput(catalogue);
  if (catalogue === undefined || from === undefined)
    return `${site.name}: ${WORDS.headline[language]} ${WORDS.lead[language]}`;
  return language === 'zh'
    ? `${site.name}：${catalogue.models.length} 个模型，每百万输入 token 低至 $${digitsOf(from)}。${WORDS.lead.zh}`
    : `${site.name}: ${catalogue.models.length} models, from $${digitsOf(from)} per million input tokens. ${WORDS.lead.en}`;
}

const structured = (asked: Asked, questions: readonly Question[]): object => ({
  '@context': 'https://schema.org',
  '@graph': [
    { '@type': 'Organization', name: asked.site.name, url: asked.site.address },
    {
      '@type': 'WebSite',
      name: asked.site.name,
      url: addressIn({ ...asked, query: new URLSearchParams() }, asked.language),
      potentialAction: {
        '@type': 'SearchAction',
        target: `${asked.site.address}/models?q={search_term_string}`,
        'query-input': 'required name=search_term_string',
      },
    },
    ...(questions.length === 0
      ? []
      : [
          {
            '@type': 'FAQPage',
            mainEntity: questions
              .map((entry) => questionIn(asked.language, entry))
              .map(({ question, answer }) => ({
                '@type': 'Question',
                name: question,
                acceptedAnswer: { '@type': 'Answer', text: plainStart(answer, 1000) },
              })),
          },
        ]),
  ],
});

async function homeFacts(facts: PageFacts, asked: Asked): Promise<HomeFacts> {
  const catalogue = asked.site.settings.PublicModelsEnabled ? await facts.catalogue() : undefined;
  const measuring = measuredShown(asked) ? facts.measuring : undefined;
  return {
    asked,
    catalogue,
    topUpPrices: facts.topUpPrices(),
    measured: await measuring?.modelsMeasured(),
    site: catalogue && (await measuring?.siteMeasured(catalogue.models.map(({ name }) => name))),
  };
}

async function ownPage(facts: PageFacts, asked: Asked, content: string): Promise<string> {
  const isFramed = contentKind(content) !== 'rich';
  const questions = isFramed ? [] : await facts.questions();
  const home = await homeFacts(facts, asked);
  return pageHtml({
    asked,
    title: '',
    description: isFramed ? descriptionOf(home) : plainStart(content),
    structured: structured(asked, questions),
    current: 'home',
    isFramed,
    children: (
      <>
        <Notice asked={asked} />
        {isFramed ? (
          <Framed asked={asked} content={content} />
        ) : (
          <article class="prose" dangerouslySetInnerHTML={{ __html: markdownOf(content) }} />
        )}
        <Questions language={asked.language} questions={questions} />
      </>
    ),
  });
}

async function shopPage(facts: PageFacts, asked: Asked): Promise<string> {
  const { language, site } = asked;
  const [home, plans, announcements, questions] = await Promise.all([
    homeFacts(facts, asked),
    facts.plans(),
    facts.announcements(),
    facts.questions(),
  ]);
  return pageHtml({
    asked,
    title: '',
    description: descriptionOf(home),
    structured: structured(asked, questions),
    current: 'home',
    children: (
      <>
        <Notice asked={asked} />
        <Hero {...home} />
        <Figures {...home} />
        <ModelsOnSale {...home} />
        {plans.length === 0 ? null : (
          <Sheet
            id="plans"
            title={WORDS.plans[language]}
            end={<a href={linkTo(asked, '/plans')}>{WORDS.allPlans[language]}</a>}
          >
            <PlanTable plans={plans} site={site} language={language} />
          </Sheet>
        )}
        <Steps language={language} />
        <News asked={asked} announcements={announcements.slice(0, MOST_NEWS)} />
        <Questions language={language} questions={questions} />
        <Installation {...home} />
      </>
    ),
  });
}

export function homePage(facts: PageFacts): PublicPage {
  return {
    matches: (path) => path === '/',
    listed: () => ['/'],
    async render(asked) {
      const { HomePageContent, HomePageContentEn } = asked.site.settings;
      const content = inLanguage(asked.language, HomePageContent, HomePageContentEn);
      const isOwn = contentKind(content) !== 'empty';
      return { body: isOwn ? await ownPage(facts, asked, content) : await shopPage(facts, asked) };
    },
  };
}
