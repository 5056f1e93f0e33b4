// `npm start`: from a fresh clone to a running gateway; later starts skip finished steps.
import { becomeBun, inRoot, say } from './project.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';

await main(async () => {
  await ensureInstalled({ dev: false });
  await ensureConsole();
  say('tollgate: starting …');
  becomeBun([inRoot('server', 'cli', 'main.ts'), 'start', ...process.argv.slice(2)]);
});
