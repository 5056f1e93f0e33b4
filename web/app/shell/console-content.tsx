/** The operator's notice above every page of the console, and the operator's footer below it; both load only where they are set. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { noticeQuery } from '#web/api/queries.ts';
import { useStatus } from '#web/api/status.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import classes from './console-content.module.css';

const Banner = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/site/notice-banner.tsx')).NoticeBanner })),
);

const SiteFooter = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/ui/content/footer.tsx')).SiteFooter })),
);

export function ConsoleNotice() {
  const { data } = useQuery(noticeQuery);
  if (!data?.trim()) return null;
  return (
    <Suspense>
      <div className={classes.notice}>
        <Banner />
      </div>
    </Suspense>
  );
}

export function ConsoleFooter() {
  const status = useStatus();
  if (!status?.footer_html.trim()) return null;
  return (
    <div className={classes.footer}>
      <Suspense>
        <SiteFooter html={status.footer_html} name={status.system_name} />
      </Suspense>
    </div>
  );
}
