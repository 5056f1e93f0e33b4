/**
 * Build step: parts of Mantine's components that the console does not use. They hang on components that it does use
 * (`Menu.Search` on `Menu`), so the bundler keeps them, and every first visit would load them.
 */
import type { Plugin } from 'vite';

/** Folder and name of each; a test reads the sources for their use. */
export const UNUSED_PARTS: Readonly<Record<string, readonly string[]>> = {
  Menu: ['Search', 'ContextMenu'],
  Tooltip: ['Floating'],
  Button: ['Group', 'GroupSection'],
  ActionIcon: ['Group', 'GroupSection'],
};

const files = new Map(
  Object.entries(UNUSED_PARTS).flatMap(([component, parts]) =>
    parts.map((part) => [`${component}/${component}${part}/${component}${part}.mjs`, `${component}${part}`]),
  ),
);
const PART = /@mantine[\\/]core[\\/]esm[\\/]components[\\/](\w+[\\/]\w+[\\/]\w+\.mjs)$/;

export function unusedParts(): Plugin {
  const left = new Set(files.keys());
  return {
    name: 'unused-parts',
    apply: 'build',
    load(id) {
      const file = PART.exec(id)?.[1]?.replaceAll('\\', '/') ?? '';
      const name = files.get(file);
      if (name === undefined) return undefined;
      left.delete(file);
      return { code: `export const ${name} = undefined;`, map: null };
    },
    buildEnd(error) {
      if (error === undefined && left.size > 0)
        throw new Error(`@mantine/core has changed: ${[...left].join(', ')}; see web/build/unused-parts.ts`);
    },
  };
}
