// The stylesheet and the script of the public pages, at addresses that change with their content.
import { createHash } from 'node:crypto';
import tokens from '#web/ui/theme/tokens.css' with { type: 'text' };
import script from './browser.js' with { type: 'text' };
import calculator from './calculator.js' with { type: 'text' };
import charts from './charts.css' with { type: 'text' };
import parts from './parts.css' with { type: 'text' };
import home from './home/home.css' with { type: 'text' };
import models from './models/models.css' with { type: 'text' };
import frame from './site.css' with { type: 'text' };
import sharedChat from './shared-chat/shared-chat.css' with { type: 'text' };
import status from './status/status.css' with { type: 'text' };

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

export const STYLES = asset(
  'site.css',
  'text/css; charset=utf-8',
  smaller(
    [tokens, darkWithoutScript(tokens), frame, parts, charts, models, home, status, sharedChat].join('\n'),
  ),
);
export const SCRIPT = asset('site.js', 'text/javascript; charset=utf-8', `${script}\n${calculator}`);
export const ASSETS = [STYLES, SCRIPT];
