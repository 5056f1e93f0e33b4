// Finds a browser for the tests that need one and installs it when the machine has none.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inRoot, run, say } from './project.mjs';

/** The headless shell first: the whole browser also renders a window for every profile. */
const known = JSON.parse(readFileSync(inRoot('scripts', 'browsers.json'), 'utf8'));

function findChromium() {
  const wished = process.env.CHROMIUM_PATH;
  if (wished) {
    if (!existsSync(wished)) throw new Error(`CHROMIUM_PATH names ${wished}, which does not exist`);
    return wished;
  }
  return known.find((file) => existsSync(file)) ?? playwrightChromium();
}

function playwrightChromium() {
  const { chromium } = createRequire(inRoot('package.json'))('playwright-core');
  const file = chromium.executablePath();
  return file && existsSync(file) ? file : undefined;
}

async function installChromium() {
  const isDebian = existsSync('/usr/bin/apt-get');
  if (isDebian && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = (name) =>
      run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name, 'fonts-noto-cjk'], { env });
    await run('apt-get', ['update', '-qq'], { env });
    const shell = await install('chromium-headless-shell');
    return shell.code === 0 ? shell : install('chromium');
  }
  return run(process.execPath, [inRoot('node_modules', 'playwright-core', 'cli.js'), 'install', 'chromium']);
}

/** The path of a Chromium, installed if necessary; throws with the installer's output. */
export async function ensureChromium() {
  const present = findChromium();
  if (present) return present;
  say('tollgate: installing Chromium for the browser tests …');
  const result = await installChromium();
  const installed = findChromium();
  if (!installed) throw new Error(`no Chromium could be installed; set CHROMIUM_PATH.\n${result.output}`);
  return installed;
}
