// `npm run demo`: as `npm start`, but with mock upstreams, sample users and thirty days of traffic, in `./data-demo`.
import { becomeBun, inRoot, say } from './project.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';

await main(async () => {
  await ensureInstalled({ dev: false });
  await ensureConsole();
  say('tollgate: starting the demo …');
  becomeBun([inRoot('demo', 'main.ts'), ...process.argv.slice(2)]);
});
