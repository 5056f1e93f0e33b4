// The stylesheet and the scripts of the public pages, at addresses that change with their content.
import { createHash } from 'node:crypto';
import tokens from '#web/ui/theme/tokens.css' with { type: 'text' };
import boot from './boot.js' with { type: 'text' };
import script from './browser.js' with { type: 'text' };
import calculator from './calculator.js' with { type: 'text' };
import docs from './docs/docs.css' with { type: 'text' };
import docsNarrow from './docs/docs-narrow.css' with { type: 'text' };
import home from './home/home.css' with { type: 'text' };
import models from './models/models.css' with { type: 'text' };
import sharedChat from './shared-chat/shared-chat.css' with { type: 'text' };
import status from './status/status.css' with { type: 'text' };
import base from './styles/base.css' with { type: 'text' };
import charts from './styles/charts.css' with { type: 'text' };
import controls from './styles/controls.css' with { type: 'text' };
import frame from './styles/frame.css' with { type: 'text' };
import frameNarrow from './styles/frame-narrow.css' with { type: 'text' };
import prose from './styles/prose.css' with { type: 'text' };
import sheets from './styles/sheets.css' with { type: 'text' };
import sheetsNarrow from './styles/sheets-narrow.css' with { type: 'text' };
import tables from './styles/tables.css' with { type: 'text' };
import topBar from './styles/top-bar.css' with { type: 'text' };

/**
 * The dark colours once more for browsers without scripts: there nobody sets the attribute that chooses them. The block is copied
 * from the console's tokens, so that there is one palette.
 */
export function darkWithoutScript(css: string): string {
  const colours = /\[data-mantine-color-scheme='dark'\]\s*(\{[^}]*\})/.exec(css)?.[1];
  if (colours === undefined) throw new Error('tokens.css has no dark colours');
  return `@media screen and (prefers-color-scheme: dark) {
  :root:not([data-mantine-color-scheme]) ${colours}
}`;
}

/** Without comments and the spaces at the start of lines: browsers need neither. */
const smaller = (css: string): string =>
  css
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();

function asset(name: string, type: string, body: string) {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  return { path: `/site/${name}`, href: `/site/${name}?v=${digest}`, type, body };
}

/** In the order in which they override each other. */
const SHEETS = [
  [tokens, darkWithoutScript(tokens)],
  [base, topBar, frame, frameNarrow],
  [sheets, tables, controls, prose, sheetsNarrow, charts],
  [models, home, status, sharedChat, docs, docsNarrow],
].flat();
const JAVASCRIPT = 'text/javascript; charset=utf-8';

export const STYLES = asset('site.css', 'text/css; charset=utf-8', smaller(SHEETS.join('\n')));
/** Runs before the first paint. */
export const BOOT = asset('boot.js', JAVASCRIPT, boot);
export const SCRIPT = asset('site.js', JAVASCRIPT, `${script}\n${calculator}`);
export const ASSETS = [STYLES, BOOT, SCRIPT];
