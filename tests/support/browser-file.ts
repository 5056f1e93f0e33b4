// Which Chromium the tests and screenshots start, also when they are started without `npm test`.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import known from '../../scripts/browsers.json';

/** CHROMIUM_PATH, else a browser of the machine, the headless shell first, else Playwright's own. */
export function browserFile(
  wished: string | undefined = process.env.CHROMIUM_PATH,
  exists: (file: string) => boolean = existsSync,
): string {
  return wished || known.find((file) => exists(file)) || chromium.executablePath();
}
