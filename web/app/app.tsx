/** The providers around every page. */
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from '#web/api.ts';
import { DialogHost } from '#web/ui/feedback/dialogs.tsx';
import { themeModeManager } from '#web/ui/theme/color-scheme.ts';
import { cssVariablesResolver, theme } from '#web/ui/theme/theme.ts';
import { router } from './router.ts';

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
        <Notifications position="bottom-right" limit={4} />
        <RouterProvider router={router} />
        <DialogHost />
      </QueryClientProvider>
    </MantineProvider>
  );
}
