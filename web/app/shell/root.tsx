/** Around every page, sign-in included: the network banner, the palette, the warning about the first password. */
import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { NetworkBanner } from './network-banner.tsx';
import { PaletteHost } from '#web/app/palette/host.tsx';
import { StepUpHost } from './step-up.tsx';

export function Root() {
  return (
    <>
      <NetworkBanner />
      <Suspense>
        <Outlet />
      </Suspense>
      <PaletteHost />
      <StepUpHost />
    </>
  );
}
