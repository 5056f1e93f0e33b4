// Paths and small process helpers shared by the scripts. Plain Node without dependencies, because these
// scripts run before anything is installed.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const inRoot = (...parts) => path.join(root, ...parts);
export const bun = inRoot('node_modules', 'bun', 'bin', 'bun.exe');
export const binary = (name) => inRoot('node_modules', '.bin', name);

// Bun's fetch allows 256 requests at a time unless this is raised before the process starts; a gateway
// holds one per running call.
export function bunEnvironment(extra = {}) {
  return { BUN_CONFIG_MAX_HTTP_REQUESTS: '65336', ...process.env, ...extra };
}

export function say(line) {
  process.stdout.write(`${line}\n`);
}

export function seconds(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}

/** Runs a program to its end and resolves with {code, output}; output is collected unless `inherit` is set. */
export function run(command, args, { inherit = false, onLine, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      ...options,
      stdio: inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    for (const stream of inherit ? [] : [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        chunks.push(chunk);
        if (!onLine) return;
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) onLine(line);
      });
      stream.on('end', () => {
        if (onLine && rest) onLine(rest);
      });
    }
    child.on('error', (error) => resolve({ code: 127, output: `${command}: ${error.message}\n` }));
    child.on('close', (code, signal) => {
      const output = chunks.join('');
      resolve({ code: code ?? 1, output: signal ? `${output}\nended by ${signal}\n` : output });
    });
  });
}

/**
 * Runs a Bun program in place of this one: shares its output, hands signals on and takes over its exit code. The child
 * has a process group of its own, because the server takes a second signal for impatience and a terminal or npm would
 * otherwise deliver each one twice. It ends when this process is killed.
 */
export function becomeBun(args, env = bunEnvironment()) {
  const child = spawn(bun, ['--no-orphans', ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  let lastAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (Date.now() - lastAt < 500) return;
      lastAt = Date.now();
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`tollgate: cannot run ${bun}: ${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) =>
    process.exit(code ?? (signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 1)),
  );
}
