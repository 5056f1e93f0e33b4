/** @jsxImportSource hono/jsx */
// /docs for visitors: the documents of the build. Users have them inside the console, with the palette and the reference.
import { limitRows } from '#contract/admin/limit-words.ts';
import type { DocumentPage, DocumentSection } from '#contract/admin/documents.ts';
import { PLACEHOLDER_MODEL } from '#contract/money/sample-model.ts';
import type { PublicCatalogue } from '#server/admin/public-model.ts';
import { siteLimits } from '#server/admin/site-limits.ts';
import type { PageFacts } from '#server/admin/public-pages/facts.ts';
import { pageHtml } from '#server/admin/public-pages/layout.tsx';
import { sampleModel } from '#server/admin/public-pages/models/samples.ts';
import { linkTo, type Asked, type PageContent, type PublicPage } from '#server/admin/public-pages/page.ts';
import { CopyButton } from '#server/admin/public-pages/parts.tsx';
import { Contents, FoldedContents, Neighbours, OnThisPage, Results } from './contents.tsx';
import { articleOf, findInDocuments, indexIn, listOfDocuments, type ReadDocument } from './documents.ts';
import { foundTitle, modelCount, WORDS } from './words.ts';

const PATH = /^\/docs(?:\/([\w-]+))?$/;
/** The console makes the reference of the API from the description of its endpoints. */
const CONSOLE_PAGES: readonly string[] = ['api'];

function SiteFacts({ asked, catalogue }: { asked: Asked; catalogue: PublicCatalogue | undefined }) {
  const { site, language } = asked;
  return (
    <section class="site-facts" aria-label={WORDS.site[language]}>
      <span>{WORDS.address[language]}</span>
      <code id="base-url">{`${site.address}/v1`}</code>
      <CopyButton language={language} label={WORDS.copyAddress} of="#base-url" />
      <span class="links">
        {catalogue === undefined ? null : (
          <>
            <span>{modelCount(catalogue.models.length)[language]}</span>
            <a href={linkTo(asked, '/models')}>{WORDS.prices[language]}</a>
          </>
        )}
        <a href="/token">{WORDS.keys[language]}</a>
        <a href={linkTo(asked, '/docs/troubleshooting')}>{WORDS.limits[language]}</a>
      </span>
    </section>
  );
}

/** Above the errors, of which each says how to go on. */
function SiteLimits({ asked: { site, language } }: { asked: Asked }) {
  return (
    <section class="site-limits" aria-label={WORDS.siteLimits[language]}>
      <b>{WORDS.siteLimits[language]}</b>
      <dl>
        {limitRows(siteLimits(site.settings)).map(({ name, value, code }) => (
          <div>
            <dt>{name[language]}</dt>
            <dd>
              <b>{value[language]}</b> <a href={`#${code}`}>{code}</a>
            </dd>
          </div>
        ))}
      </dl>
      <p class="note">{WORDS.ownLimits[language]}</p>
    </section>
  );
}

/** The documents of one kind of reader. */
const ownSections = (sections: readonly DocumentSection[], audience: 'customers' | 'operators') =>
  sections.filter((section) => section.audience === audience);

function resultsPage(asked: Asked, sections: readonly DocumentSection[], query: string): PageContent {
  const { language } = asked;
  const own = ownSections(sections, 'customers');
  const found = findInDocuments(
    query,
    language,
    own.flatMap(({ pages }) => pages),
  );
  const title = foundTitle(query)[language];
  const contents = { asked, sections: own, current: undefined };
  return {
    body: pageHtml({
      asked,
      title,
      description: title,
      isHidden: true,
      current: 'docs',
      side: <Contents {...contents} />,
      children: (
        <>
          <FoldedContents {...contents} />
          <div class="article">
            <h1>{title}</h1>
            <Results asked={asked} found={found} />
          </div>
        </>
      ),
    }),
  };
}

interface Shown {
  facts: PageFacts;
  read: ReadDocument;
  asked: Asked;
  sections: readonly DocumentSection[];
  page: DocumentPage;
}

async function documentPage({ facts, read, asked, sections, page }: Shown): Promise<PageContent | undefined> {
  const { language, site } = asked;
  const catalogue = site.settings.PublicModelsEnabled ? await facts.catalogue() : undefined;
  const samples = {
    address: site.address,
    model: sampleModel(catalogue?.models ?? [])?.name ?? PLACEHOLDER_MODEL,
  };
  const article = await articleOf(read, page, { language, samples, link: (path) => linkTo(asked, path) });
  if (article === undefined) return undefined;
  const isForeign = page[language] === undefined;
  const audience = sections.find(({ pages }) => pages.includes(page))?.audience ?? 'customers';
  const contents = { asked, sections: ownSections(sections, 'customers'), current: page };
  const pages = ownSections(sections, audience).flatMap((section) => section.pages);
  return {
    body: pageHtml({
      asked,
      title: indexIn(page, language).title,
      description: article.description,
      current: 'docs',
      side: <Contents {...contents} />,
      children: (
        <>
          <FoldedContents {...contents} />
          <div class="document">
            <article class="article" lang={isForeign ? 'en' : undefined}>
              {isForeign ? (
                <p class="note" lang={language}>
                  {WORDS.englishOnly[language]}
                </p>
              ) : null}
              {page.slug === 'connect' ? <SiteFacts asked={asked} catalogue={catalogue} /> : null}
              {page.slug === 'troubleshooting' ? <SiteLimits asked={asked} /> : null}
              <div class="text" dangerouslySetInnerHTML={{ __html: article.html }} />
              <Neighbours asked={asked} pages={pages} current={page} />
            </article>
            <OnThisPage asked={asked} page={page} />
          </div>
        </>
      ),
    }),
  };
}

export function docsPage(facts: PageFacts, read: ReadDocument): PublicPage {
  return {
    matches: (path) => !CONSOLE_PAGES.includes(PATH.exec(path)?.[1] ?? '') && PATH.test(path),
    query: ['q'],
    isForVisitors: true,
    async listed({ settings }) {
      if (!settings.PublicDocsEnabled) return [];
      const own = ownSections((await listOfDocuments(read)) ?? [], 'customers');
      return own.flatMap(({ pages }) => pages.map(({ slug }) => `/docs/${slug}`));
    },
    async render(asked) {
      if (!asked.site.settings.PublicDocsEnabled) return undefined;
      const sections = await listOfDocuments(read);
      if (sections === undefined) return undefined;
      const slug = PATH.exec(asked.path)?.[1];
      const query = (asked.query.get('q') ?? '').trim();
      if (slug === undefined && query !== '') return resultsPage(asked, sections, query);
      const page =
        slug === undefined
          ? ownSections(sections, 'customers')[0]?.pages[0]
          : sections.flatMap(({ pages }) => pages).find((each) => each.slug === slug);
      return page && (await documentPage({ facts, read, asked, sections, page }));
    },
  };
}
