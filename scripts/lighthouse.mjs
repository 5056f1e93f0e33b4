// `npm run lighthouse`: how the public pages do on a phone: see tests/e2e/lighthouse.ts. Lighthouse is a hundred megabytes that nothing
// else needs, so it is installed at its first use, outside of package.json; while it runs, the only address asked is the demo's.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { ensureChromium } from './chromium.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';
import { becomeBun, bunEnvironment, inRoot, run, say } from './project.mjs';

const VERSION = '13.5.0';

async function ensureLighthouse() {
  const folder = inRoot('node_modules', '.cache', `lighthouse-${VERSION}`);
  const file = `${folder}/node_modules/lighthouse/cli/index.js`;
  if (existsSync(file)) return file;
  say(`tollgate: installing Lighthouse ${VERSION} …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "private": true }\n');
  // Its browser is the one of the browser tests.
  const env = { ...process.env, PUPPETEER_SKIP_DOWNLOAD: 'true' };
  const wish = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `lighthouse@${VERSION}`];
  const { code, output } = await run('npm', wish, { cwd: folder, env });
  if (code !== 0 || !existsSync(file)) throw new Error(`Lighthouse could not be installed:\n${output}`);
  return file;
}

await main(async () => {
  await ensureInstalled({ dev: true });
  await ensureConsole();
  const LIGHTHOUSE = await ensureLighthouse();
  const CHROMIUM_PATH = await ensureChromium();
  const program = [inRoot('tests', 'e2e', 'lighthouse.ts'), ...process.argv.slice(2)];
  becomeBun(program, bunEnvironment({ CHROMIUM_PATH, LIGHTHOUSE }));
});
