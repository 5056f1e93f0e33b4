// `npm run test:clients`: see tests/clients/main.ts. Not part of `npm test`, because it installs programs from npm.
import { spawn } from 'node:child_process';
import { ensureInstalled, main } from './install.mjs';
import { bun, bunEnvironment, inRoot, root } from './project.mjs';

await main(async () => {
  await ensureInstalled({ dev: true });
  const args = [inRoot('tests', 'clients', 'main.ts'), ...process.argv.slice(2)];
  const tests = spawn(bun, args, { cwd: root, stdio: 'inherit', env: bunEnvironment() });
  tests.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
});
