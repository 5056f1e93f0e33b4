/**
 * Build step: an icon without a name is decoration, and screen readers leave it out. Tabler's icons are exposed as nameless
 * images otherwise, one in nearly every button.
 */
import type { Plugin } from 'vite';

/** The arrow of a select. */
const CHEVRON = /@mantine\/core\/esm\/components\/Combobox\/ComboboxChevron\/ComboboxChevron\.mjs$/;
const MODULE = /@tabler\/icons-react\/dist\/esm\/createReactComponent\.mjs$/;
const LAST_PROPERTY = '...rest\n      },';

export function decorativeIcons(): Plugin {
  return {
    name: 'decorative-icons',
    transform(code, id) {
      if (CHEVRON.test(id))
        return {
          code: code.replace('component: "svg",', 'component: "svg", "aria-hidden": true,'),
          map: null,
        };
      if (!MODULE.test(id)) return undefined;
      if (!code.includes(LAST_PROPERTY))
        throw new Error('@tabler/icons-react has changed: see web/build/icons.ts');
      const hidden = `'aria-hidden': !rest['aria-label'],\n        ${LAST_PROPERTY}`;
      return { code: code.replace(LAST_PROPERTY, hidden), map: null };
    },
  };
}
