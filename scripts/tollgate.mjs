#!/usr/bin/env node
// The `tollgate` command (`npx tollgate --help`): passes its arguments to the server's command line under Bun.
import { becomeBun, inRoot } from './project.mjs';
import { ensureConsole } from './console.mjs';
import { ensureInstalled, main } from './install.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  await ensureInstalled({ dev: false });
  if (args[0] === 'start') await ensureConsole();
  becomeBun([inRoot('server', 'cli', 'main.ts'), ...args]);
});
