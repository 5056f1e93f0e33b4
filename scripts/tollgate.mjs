#!/usr/bin/env node
// The `tollgate` command (`npx tollgate --help`): passes its arguments to the server's command line under Bun.
import { becomeBun, inRoot } from './project.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';
import { ensureServer } from './server.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  await ensureInstalled({ dev: false });
  const isStart = args[0] === 'start';
  if (isStart) await ensureConsole();
  becomeBun([isStart ? await ensureServer() : inRoot('server', 'cli', 'main.ts'), ...args]);
});
