/** Top bar above the page; on the phone a bottom bar below it. */
import { Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '#web/api/session.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { ShellSlotsContext } from '#web/ui/page/slots.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { DemoTour } from './demo-tour.tsx';
import { FirstPassword } from './first-password.tsx';
import { NeedsStrip } from './needs-strip.tsx';
import { TopBar } from './top-bar.tsx';
import classes from './shell.module.css';

export function Shell() {
  const { t } = useTranslation('shell');
  const phone = usePhone();
  const user = useUser();
  const [title, setTitle] = useState<HTMLElement | null>(null);
  const [action, setAction] = useState<HTMLElement | null>(null);
  const slots = useMemo(() => ({ title, action }), [title, action]);
  const main = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  // A page whose code is still on its way.
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  const before = useRef(pathname);
  useEffect(() => {
    // A new page takes the focus, so that screen readers and the keyboard start at its top.
    if (before.current !== pathname) main.current?.focus({ preventScroll: true });
    before.current = pathname;
  }, [pathname]);
  return (
    <ShellSlotsContext.Provider value={slots}>
      <div className={classes.shell}>
        <a className={classes.skip} href="#main">
          {t('skip')}
        </a>
        <TopBar onTitleSlot={setTitle} onActionSlot={setAction} />
        <main id="main" ref={main} tabIndex={-1} className={classes.main} aria-busy={isLoading}>
          {/* The pages of the console have it beside their menu. */}
          {pathname === '/' ? <NeedsStrip /> : null}
          <Suspense fallback={<Loading page />}>
            <Outlet />
          </Suspense>
        </main>
        <DemoTour />
        {phone && user ? <BottomBar /> : null}
        {user?.password_is_initial ? <FirstPassword user={user} /> : null}
      </div>
    </ShellSlotsContext.Provider>
  );
}
