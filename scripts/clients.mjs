// `npm run test:clients`: see tests/clients/main.ts. Not part of `npm test`, because it installs programs from npm and PyPI. Nothing of
// them runs while there is a network: they are unpacked first, and everything else happens in a network namespace that has
// only the loopback interface.
import { spawn } from 'node:child_process';
import { ensureInstalled, main } from './install.mjs';
import { bun, bunEnvironment, inRoot, root } from './project.mjs';

await main(async () => {
  await ensureInstalled({ dev: true });
  const program = [inRoot('tests', 'clients', 'main.ts'), ...process.argv.slice(2)];
  const installing = await run(bun, [...program, '--install']);
  if (installing !== 0) process.exit(installing);
  const inside = ['--net', '--map-root-user', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];
  process.exit(await run('unshare', [...inside, bun, ...program]));
});

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: bunEnvironment() });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
