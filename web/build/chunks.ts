/**
 * Modules that every visit loads go into one chunk. By default the bundler makes a hundred small ones, one for every
 * set of pages that share a module: many requests, and poor compression.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const WEB = fileURLToPath(new URL('..', import.meta.url));

/** Shown after the first paint, by an action or by what the server answers. */
const LATE_PARTS =
  /\/(ui\/(attention|code|conflict|drawer|input|login|media|paper|range|sheet|thing)|app\/palette|features\/tokens\/(connect|form|token-page))\/|\/(key-dialog|row-menu-items|scope-menu|selection-actions)\.tsx$/;

const sourcesIn = (folder: string) =>
  readdirSync(WEB + folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${WEB}${folder}/${file}`)
    .filter((file) => /\.tsx?$/.test(file));

const iconsIn = (files: readonly string[]) =>
  new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(/\bIcon[A-Z]\w*/g) ?? []));

/** Icons of the first load: those that the shell, the shared parts and the landing page name. */
const firstIcons = iconsIn(
  ['app', 'ui', 'features/tokens'].flatMap(sourcesIn).filter((file) => !LATE_PARTS.test(file)),
);
/** Whoever signs in does not wait for the icons of all pages. */
const signInIcons = iconsIn(['features/account', 'ui/login'].flatMap(sourcesIn));

const ICON = /@tabler[\\/]icons-react[\\/].*[\\/]icons[\\/](Icon\w+)\.mjs$/;
const isLate = (id: string, ofSignIn: boolean) => {
  const name = ICON.exec(id)?.[1];
  return name !== undefined && !firstIcons.has(name) && signInIcons.has(name) === ofSignIn;
};
const isLateIcon = (id: string) => isLate(id, false) || isLate(id, true);

const EVERYWHERE = [
  // React, the router, the query cache, translations, and the positioning of menus and tooltips.
  /node_modules[\\/](react|react-dom|scheduler|i18next|react-i18next|clsx|use-sync-external-store)[\\/]/,
  /node_modules[\\/]@tanstack[\\/](react-router|router-core|history|react-store|store|query-core|react-query)[\\/]/,
  /node_modules[\\/](@floating-ui|@mantine[\\/]store|@tabler)[\\/]/,
  // Dragging is for toasts and sliders, which are loaded when they are shown.
  /node_modules[\\/]@mantine[\\/]hooks[\\/](?!esm[\\/]use-(drag|move)[\\/])/,
  /@mantine[\\/]notifications[\\/]esm[\\/]notifications\.(store|events)/,
  // The widgets of the shell itself.
  /@mantine[\\/]core[\\/](styles|esm[\\/](core|utils))[\\/]/,
  /@mantine[\\/]core[\\/]esm[\\/]components[\\/](UnstyledButton|Button|ActionIcon|CloseButton|Loader|Transition)[\\/]/,
  /@mantine[\\/]core[\\/]esm[\\/]components[\\/](Portal|Popover|Floating|Menu|Tooltip|Overlay|FocusTrap|VisuallyHidden|Paper)[\\/]/,
  /@mantine[\\/]core[\\/]esm[\\/]components[\\/](Input|InputBase|TextInput|InlineInput|Checkbox)[\\/]/,
  // Only these parts of their widgets are in the first load.
  /@mantine[\\/]core[\\/]esm[\\/]components[\\/](Accordion[\\/]AccordionChevron|Radio[\\/]RadioIcon)/,
  // Product code: the shell, the session, and the parts on every page.
  /[\\/]web[\\/](api|api[\\/](?!download|price-list|holders|holder-facets|outside-logins)[\w-]+)\.tsx?$/,
  /[\\/]web[\\/]app[\\/](?!palette[\\/](?!host)|shell[\\/](?:not-found|phone-menu|needs-(?:list|strip-line)|scope-(?:frame|menu|notice)|chat-submenu|new-organization|use-open-scope)\.|closest|(?:setting|wallet|overview)-page|public-pages|home-document)/,
  /[\\/]web[\\/]i18n[\\/](?!messages)/,
  /[\\/]web[\\/]ui[\\/]address[\\/](?!provider-page|chat-links)/,
  /[\\/]web[\\/]ui[\\/](badge|brand|copy|page|preferences|theme)[\\/](?!vendor-mark|secret|saved-view|tally-wall|health-strip)/,
  // Sums in parts, real currencies and the kinds of the ledger are for the pages of money.
  /[\\/]web[\\/]ui[\\/]format[\\/](?!parts|money|shown-money|ledger-kinds|page-amounts)/,
  /[\\/]web[\\/]ui[\\/]content[\\/]trusted\b/,
  /[\\/]web[\\/]ui[\\/]feedback[\\/](announce|toast(?:-room)?\.|dialog-(?:host|store)|load-part|loading|notice|states|feedback)/,
  /[\\/]web[\\/](ui[\\/]grid[\\/](search|page-size)|features[\\/][\w-]+[\\/]search|features[\\/]users[\\/]pasted-key)\.ts$/,
  /[\\/]web[\\/]ui[\\/]input[\\/](draft|unsaved)\.ts$/,
  // What the overview asks for while its code is on its way.
  /[\\/]web[\\/]features[\\/]overview[\\/]queries\.ts$/,
  /[\\/]contract[\\/](language|time|thing-window|access|lists|endpoint|client|setting-shapes|admin[\\/](?:tokens|organization-rights)|relay[\\/]failures|money[\\/](plans|orders|order-views|resellers|redemptions|quota-text))\.ts$/,
  /virtual:contract-wire/,
];

export const baseChunk = {
  name: 'base',
  test: (id: string) => !isLateIcon(id) && EVERYWHERE.some((place) => place.test(id)),
};

/** The other icons together: a chunk for each set of pages that share one would be dozens of requests. */
export const iconChunk = { name: 'icons', test: (id: string) => isLate(id, false) };
export const signInIconChunk = { name: 'sign-in-icons', test: (id: string) => isLate(id, true) };

/**
 * Stops a build in which chunks of the first load import each other in a circle: the browser would run one of them before the
 * constants that it needs exist, and every page would stay blank.
 */
export function refuseCircles(): Plugin {
  return {
    name: 'refuse-circles',
    generateBundle(_options, bundle) {
      const importsOf = (file: string): readonly string[] => {
        const chunk = bundle[file];
        return chunk?.type === 'chunk' ? chunk.imports : [];
      };
      const base = Object.values(bundle).find(
        (each) => each.type === 'chunk' && each.name === baseChunk.name,
      );
      for (const file of base === undefined ? [] : importsOf(base.fileName)) {
        const circle = circleThrough(base?.fileName ?? '', file, importsOf);
        if (circle !== undefined)
          this.error(
            `the chunk base imports itself: ${circle.join(' -> ')}; name the modules it needs in chunks.ts`,
          );
      }
    },
  };
}

/** The way from `file` back to `base`. */
export function circleThrough(
  base: string,
  file: string,
  importsOf: (file: string) => readonly string[],
): string[] | undefined {
  const seen = new Set<string>();
  const walk = (at: string): string[] | undefined => {
    if (at === base) return [at];
    if (seen.has(at)) return undefined;
    seen.add(at);
    for (const next of importsOf(at)) {
      const way = walk(next);
      if (way !== undefined) return [at, ...way];
    }
    return undefined;
  };
  return walk(file);
}
