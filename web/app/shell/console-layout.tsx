/** Side menu beside the page; on the phone the bottom bar opens the menu. */
import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { SideMenu } from './side-menu.tsx';
import classes from './shell.module.css';

export function ConsoleLayout() {
  const phone = usePhone();
  return (
    <div className={classes.console}>
      {phone ? null : <SideMenu />}
      <div className={classes.content}>
        <Suspense>
          <Outlet />
        </Suspense>
      </div>
    </div>
  );
}
