/** /docs: the documents of the repository, with a list of contents, a search, and the reference of the API. */
import { Navigate, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState, type MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useSampleModel } from '#web/api/price-list.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { colourCodeBlocks, headCodeBlocks } from '#web/ui/content/code-blocks.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { serverAddress } from '#web/ui/format/base-url.ts';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { dressArticle } from './article.ts';
import { indexIn, pages, pagesFor, texts } from './contents.ts';
import type { DocumentPage } from '#contract/admin/documents.ts';
import { DocsNavigation, Neighbours, OnThisPage } from './navigation.tsx';
import { SiteFacts } from './site-facts.tsx';
import { SiteLimits } from './site-limits.tsx';
import classes from './docs.module.css';

const Reference = lazy(() =>
  loadPart(async () => ({ default: (await import('./reference.tsx')).Reference })),
);

/** The page of the address. `/docs` is the first one of the reader: how to connect for customers, how to run it for operators. */
function usePage(): DocumentPage | undefined {
  const { page } = useParams({ strict: false }) as { page?: string };
  const user = useUser();
  const own = pagesFor(user && isAdmin(user.role) ? 'operators' : 'customers');
  return page === undefined ? own[0] : pages.find(({ slug }) => slug === page);
}

function useDocument(page: DocumentPage | undefined) {
  const language = currentLanguage();
  const shown = page?.[language] ? language : 'en';
  return useQuery({
    queryKey: ['document', page?.slug, shown],
    queryFn: async () => {
      const load = page && texts[`${page.slug}.${shown}`];
      const { markdownFragment } = await import('#web/ui/content/sanitise.ts');
      return { text: load ? (await load()).default : '', render: markdownFragment };
    },
    enabled: page !== undefined,
    staleTime: Infinity,
  });
}

function scrollToHash(hash: string): void {
  const target = hash === '' ? null : document.getElementById(decodeURIComponent(hash));
  if (target) target.scrollIntoView();
  else document.getElementById('main')?.scrollTo(0, 0);
}

function Article({ page }: { page: DocumentPage }) {
  const { t } = useTranslation(['docs', 'ui']);
  const navigate = useNavigate();
  const status = useStatus();
  const address = serverAddress(status?.server_address, location.origin);
  const model = useSampleModel();
  const { data } = useDocument(page);
  const host = useRef<HTMLDivElement>(null);
  const hash = useRouterState({ select: (state) => state.location.hash });
  const copyLabel = t('ui:action.copy');
  useEffect(() => {
    if (!data || !host.current) return;
    const fragment = data.render(data.text, { breaks: false, loadsPictures: true });
    dressArticle(fragment, { address, model, anchorLabel: (heading) => t('docs:anchor', { heading }) });
    headCodeBlocks(fragment, copyLabel);
    host.current.replaceChildren(fragment);
    void colourCodeBlocks(host.current);
  }, [data, address, model, copyLabel, t]);
  useEffect(() => {
    if (data) scrollToHash(hash);
  }, [data, hash]);
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a[href^="/docs/"]');
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const [to = '', anchor = ''] = (link.getAttribute('href') ?? '').split('#');
    void navigate({ to: '/docs/$page', params: { page: to.replace('/docs/', '') }, hash: anchor });
  };
  return (
    <>
      {/* The links inside take the focus and the keys themselves. */}
      <div ref={host} data-prose className={classes.article} onClick={follow} role="presentation" />
      {data ? null : <PostLoader />}
    </>
  );
}

export function DocsPage() {
  const { t } = useTranslation('docs');
  const language = currentLanguage();
  const page = usePage();
  const user = useUser();
  const status = useStatus();
  // The address of the first drawing: while the login page loads, the router's own is already that of the login.
  const [href] = useState(() => location.pathname + location.hash);
  usePageTitle(page ? indexIn(page, language).title : t('title'));
  if (!user && status?.public_docs === false) return <Navigate to="/login" search={{ next: href }} replace />;
  return (
    <div className={classes.docs}>
      <DocsNavigation current={page} />
      <article className={classes.main} lang={page && !page[language] ? 'en' : undefined}>
        {page && !page[language] ? <NoticeBox tone="info">{t('englishOnly')}</NoticeBox> : null}
        {page?.slug === 'connect' ? <SiteFacts /> : null}
        {page?.slug === 'troubleshooting' ? <SiteLimits /> : null}
        {page ? (
          <Article key={page.slug} page={page} />
        ) : (
          <EmptyState title={t('missing.title')} text={t('missing.text')} />
        )}
        {page?.slug === 'api' ? (
          <Suspense fallback={<PostLoader />}>
            <Reference />
          </Suspense>
        ) : null}
        {page ? <Neighbours current={page} /> : null}
      </article>
      {page ? <OnThisPage page={page} /> : null}
    </div>
  );
}
