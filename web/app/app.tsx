/** The providers around every page. */
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { queryClient } from '#web/api.ts';
import { DialogHost } from '#web/ui/feedback/dialog-host.tsx';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { themeModeManager } from '#web/ui/theme/color-scheme.ts';
import { cssVariablesResolver, theme } from '#web/ui/theme/theme.ts';
import { refreshOnLanguageChange } from './refresh-on-language-change.ts';
import { router } from './router.ts';

// Toasts answer actions, so their code loads after the first paint; earlier toasts are queued.
const Toasts = lazy(() => loadPart(() => import('#web/ui/feedback/toasts.tsx')));

refreshOnLanguageChange();

const colorSchemeManager = themeModeManager(window.localStorage);

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <DialogHost />
        <Suspense>
          <Toasts />
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>
  );
}
