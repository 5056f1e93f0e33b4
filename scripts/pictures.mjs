// `npm run pictures`: takes the pictures of the README from the demo.
import { becomeBun, bunEnvironment, inRoot } from './project.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';

await main(async () => {
  await ensureInstalled({ dev: true });
  await ensureConsole();
  const CHROMIUM_PATH = await ensureChromium();
  becomeBun([inRoot('tests', 'e2e', 'pictures.ts')], bunEnvironment({ CHROMIUM_PATH }));
});
