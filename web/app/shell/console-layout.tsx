/** Side menu beside the page; on the phone the bottom bar opens the menu. */
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Fragment, lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { operatorItem, PAGE_OF_AN_ORDER } from '#web/app/operator-pages.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { NotAllowed } from '#web/ui/feedback/states.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { Page } from '#web/ui/page/page.tsx';
import { ConsoleFooter, ConsoleNotice } from './console-content.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NeedsStrip } from './needs-strip.tsx';
import { SideMenu } from './side-menu.tsx';
import classes from './shell.module.css';

const ScopeFrame = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([import('./scope-frame.tsx'), loadMessages('organizations')]);
    return { default: part.ScopeFrame };
  }),
);

export function ConsoleLayout() {
  const { t } = useTranslation('shell');
  const phone = usePhone();
  const user = useUser();
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const Frame = useScope() === undefined ? Fragment : ScopeFrame;
  const item = PAGE_OF_AN_ORDER.test(pathname) ? undefined : operatorItem(pathname);
  return (
    <div className={classes.console}>
      {phone ? null : <SideMenu />}
      <div className={`pane ${classes.content}`}>
        <NeedsStrip />
        <ConsoleNotice />
        <FirstSteps />
        <div className={classes.page}>
          <Suspense fallback={<Loading page />}>
            <Frame>
              {item && !item.rule({ user, status: undefined }) ? (
                <Page title={t(`nav.${item.name}`)}>
                  <NotAllowed />
                </Page>
              ) : (
                <Outlet />
              )}
            </Frame>
          </Suspense>
        </div>
        {phone ? null : <ConsoleFooter />}
      </div>
    </div>
  );
}
