/** Around every page, sign-in included: the site's name, the network banner, the palette, the warning about the first password. */
import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useStatus } from '#web/api/status.ts';
import { PaletteHost } from '#web/app/palette/host.tsx';
import { useAnnouncement } from '#web/ui/feedback/announce.ts';
import { SiteName } from '#web/ui/page/document-title.ts';
import { NetworkBanner } from './network-banner.tsx';
import { StepUpHost } from './step-up.tsx';

export function Root() {
  const status = useStatus();
  return (
    <SiteName value={status?.system_name ?? ''}>
      <Announcement />
      <NetworkBanner />
      <Suspense>
        <Outlet />
      </Suspense>
      <PaletteHost />
      <StepUpHost />
    </SiteName>
  );
}

function Announcement() {
  return (
    <p role="status" className="hidden">
      {useAnnouncement()}
    </p>
  );
}
