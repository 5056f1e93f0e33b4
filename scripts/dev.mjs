// `npm run dev`: the server, restarted on change, and Vite's dev server that proxies API calls to it.
// Either one ending ends both.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { binary, bun, bunEnvironment, inRoot, onShellGone, root, say } from './project.mjs';
import { ensureInstalled, main } from './install.mjs';

/** `onLine` gets every line without colours. The part also ends when this process is killed. */
function startPart(label, args, env, onLine) {
  const child = spawn(bun, ['--no-orphans', ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const [stream, target] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        target.write(`${label} ${line}\n`);
        onLine(stripVTControlCharacters(line));
      }
    });
  }
  return child;
}

await main(async () => {
  await ensureInstalled({ dev: true });
  const parts = [];
  let exitCode = 0;
  const endAll = () => parts.forEach((part) => part.exitCode === null && part.kill('SIGTERM'));
  const start = (...part) => {
    const child = startPart(...part);
    parts.push(child);
    void once(child, 'exit').then(([code]) => {
      exitCode ||= code ?? 0;
      endAll();
      if (parts.every((one) => one.exitCode !== null || one.signalCode !== null)) process.exit(exitCode);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, endAll);
  onShellGone(endAll);

  // Vite starts when the server has said its address: PORT and HOST may be anything.
  let gateway;
  const startConsole = (line) => {
    const url = /ready at (http\S+)/.exec(line)?.[1];
    if (url === undefined || gateway !== undefined) return;
    gateway = url.replace('//localhost:', '//127.0.0.1:');
    const env = bunEnvironment({ FORCE_COLOR: '1', TOLLGATE_DEV_GATEWAY: gateway });
    start('[vite]  ', ['--bun', binary('vite')], env, (text) => {
      const address = /Local:\s+(http\S+)/.exec(text)?.[1];
      if (address) say(`[dev]    the console is at ${address} (API: ${gateway})`);
    });
  };
  const server = ['--watch', '--no-clear-screen', inRoot('server', 'cli', 'main.ts'), 'start'];
  start('[server]', server, bunEnvironment(), startConsole);
});
