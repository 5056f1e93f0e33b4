/** A page outside the console: its content, then the footer at the end of the scroll. */
import type { ReactNode } from 'react';
import { useStatus } from '#web/api/status.ts';
import { DEFAULT_NAME } from '#web/ui/brand/logo.tsx';
import { SiteFooter } from '#web/ui/content/footer.tsx';
import classes from './site.module.css';

export function PublicPage({ framed, children }: { framed?: boolean; children: ReactNode }) {
  const status = useStatus();
  return (
    <div className={classes.page} data-framed={framed || undefined}>
      <div className={classes.content}>{children}</div>
      <SiteFooter html={status?.footer_html ?? ''} name={status?.system_name ?? DEFAULT_NAME} />
    </div>
  );
}
