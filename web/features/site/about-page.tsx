/** /about: the operator's text, or what this software is. */
import { Loading } from '#web/ui/feedback/loading.tsx';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { aboutQuery } from '#web/api/queries.ts';
import { errorMessage } from '#web/api/errors.ts';
import { isRoot } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { DEFAULT_NAME, LogoMark } from '#web/ui/brand/logo.tsx';
import { ContentFrame } from '#web/ui/content/frame.tsx';
import { contentKind } from '#web/ui/content/kind.ts';
import { RichContent } from '#web/ui/content/rich.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { PublicPage } from './public-page.tsx';
import classes from './site.module.css';

function DefaultAbout() {
  const { t } = useTranslation('site');
  const status = useStatus();
  const user = useUser();
  const name = status?.system_name ?? DEFAULT_NAME;
  return (
    <div className={classes.about}>
      <LogoMark height={32} />
      <h1>{name}</h1>
      <p>{t('about.empty', { name })}</p>
      <dl className={classes.facts}>
        <div>
          <dt>{t('about.version')}</dt>
          <dd>{status?.version}</dd>
        </div>
        <div>
          <dt>{t('about.api')}</dt>
          <dd>
            <Link to="/docs/$page" params={{ page: 'api' }}>
              /docs/api
            </Link>
          </dd>
        </div>
      </dl>
      {isRoot(user?.role ?? 0) ? <p className={classes.muted}>{t('about.operator')}</p> : null}
    </div>
  );
}

export function AboutPage({ faq }: { faq: ReactNode }) {
  const { t } = useTranslation('site');
  usePageTitle(t('about.title'));
  const { data, error, isPending, refetch } = useQuery(aboutQuery);
  if (isPending) return <Loading page />;
  if (error) return <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />;
  const kind = contentKind(data);
  const framed = kind === 'url' || kind === 'document';
  return (
    <PublicPage framed={framed}>
      {framed ? <ContentFrame text={data} page="about" title={t('about.title')} /> : null}
      {kind === 'rich' ? <RichContent text={data} className={classes.rich} /> : null}
      {kind === 'empty' ? <DefaultAbout /> : null}
      {framed ? null : faq}
    </PublicPage>
  );
}
