// `npm start`: from a fresh clone to a running gateway; later starts skip finished steps.
import { becomeBun, say } from './project.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';
import { ensureServer } from './server.mjs';

await main(async () => {
  await ensureInstalled({ dev: false });
  await ensureConsole();
  const server = await ensureServer();
  say('tollgate: starting …');
  becomeBun([server, 'start', ...process.argv.slice(2)]);
});
