/** Stores the theme under `theme-mode` as `light` or `dark`; without a value the theme follows the system. */
import type { MantineColorScheme, MantineColorSchemeManager } from '@mantine/core';

const KEY = 'theme-mode';

function stored(value: string | null): MantineColorScheme {
  return value === 'light' || value === 'dark' ? value : 'auto';
}

export function themeModeManager(storage: Storage): MantineColorSchemeManager {
  let listener: ((event: StorageEvent) => void) | undefined;
  return {
    get: () => stored(storage.getItem(KEY)),
    set: (value) => {
      if (value === 'auto') storage.removeItem(KEY);
      else storage.setItem(KEY, value);
    },
    // Another tab changed the theme: follow it.
    subscribe: (onUpdate) => {
      listener = (event) => {
        if (event.key === KEY) onUpdate(stored(event.newValue));
      };
      window.addEventListener('storage', listener);
    },
    unsubscribe: () => {
      if (listener) window.removeEventListener('storage', listener);
    },
    clear: () => storage.removeItem(KEY),
  };
}
