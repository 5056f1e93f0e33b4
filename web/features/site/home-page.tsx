/** /: the operator's content if there is any, else the default home; the notice is above either, the questions below. */
import { Loading } from '#web/ui/feedback/loading.tsx';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { homeQuery } from '#web/api/queries.ts';
import { useStatus } from '#web/api/status.ts';
import { DEFAULT_NAME } from '#web/ui/brand/logo.tsx';
import { ContentFrame } from '#web/ui/content/frame.tsx';
import { contentKind } from '#web/ui/content/kind.ts';
import { RichContent } from '#web/ui/content/rich.tsx';
import { DefaultHome } from './default-home.tsx';
import { NoticeBanner } from './notice-banner.tsx';
import { PublicPage } from './public-page.tsx';
import classes from './site.module.css';

export function HomePage({ faq }: { faq: ReactNode }) {
  const { t } = useTranslation('site');
  const status = useStatus();
  const { data, isPending } = useQuery(homeQuery);
  usePageTitle(status?.system_name ?? DEFAULT_NAME);
  if (isPending) return <Loading page />;
  const content = data ?? '';
  const kind = contentKind(content);
  const framed = kind === 'url' || kind === 'document';
  return (
    <PublicPage framed={framed}>
      <NoticeBanner />
      {framed ? <ContentFrame text={content} page="home" title={t('home.title')} /> : null}
      {kind === 'rich' ? <RichContent text={content} className={classes.rich} /> : null}
      {kind === 'empty' ? <DefaultHome /> : null}
      {framed ? null : faq}
    </PublicPage>
  );
}
