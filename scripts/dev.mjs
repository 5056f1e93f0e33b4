// `npm run dev`: the server, restarted on change, and Vite's dev server that proxies API calls to it.
// Either one ending ends both.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { binary, bun, bunEnvironment, inRoot, onShellGone, root } from './project.mjs';
import { ensureInstalled, main } from './install.mjs';

function startPart(label, args, env) {
  const child = spawn(bun, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const [stream, target] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) target.write(`${label} ${line}\n`);
    });
  }
  return child;
}

await main(async () => {
  await ensureInstalled({ dev: true });
  const parts = [
    startPart(
      '[server]',
      ['--watch', '--no-clear-screen', inRoot('server', 'main.ts'), 'start'],
      bunEnvironment(),
    ),
    startPart('[vite]  ', ['--bun', binary('vite')], bunEnvironment({ FORCE_COLOR: '1' })),
  ];
  let exitCode = 0;
  const endAll = () => parts.forEach((part) => part.exitCode === null && part.kill('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, endAll);
  onShellGone(endAll);
  const ends = parts.map(async (part) => {
    const [code] = await once(part, 'exit');
    exitCode ||= code ?? 0;
    endAll();
  });
  await Promise.all(ends);
  process.exit(exitCode);
});
