// Paths and process helpers of the scripts. Plain Node without dependencies, because the scripts run before anything is
// installed.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const inRoot = (...parts) => path.join(root, ...parts);
export const bun = inRoot('node_modules', 'bun', 'bin', 'bun.exe');
export const binary = (name) => inRoot('node_modules', '.bin', name);

// Read by Bun only when a process starts; reasons in docs/adr/0026-runtime-settings.md.
export const runtime = JSON.parse(readFileSync(inRoot('scripts', 'runtime.json'), 'utf8'));

export function bunEnvironment(extra = {}) {
  return { ...runtime, ...process.env, ...extra };
}

/** For the compiler and lint, which are written in Go: collecting garbage costs as much as checking, unless it may wait. */
export const goEnvironment = () => ({ GOGC: '400', GOMEMLIMIT: '3GiB', ...process.env });

let progress = process.stdout;

/** From now on `say` writes to standard error: standard output is for a result that a program reads. */
export function keepOutputForResult() {
  progress = process.stderr;
}

export function say(line) {
  progress.write(`${line}\n`);
}

export function seconds(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}

/**
 * The processor time of this process and of those it started that have ended, in seconds, and how much of it was spent in the
 * kernel: what a run costs, also beside other work. `own: 0` leaves this process out. NaN where the system does not tell.
 */
export function processorTime({ own = 1 } = {}) {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').map(Number);
    // utime, stime, cutime and cstime, in hundredths of a second on every Linux.
    const [user, kernel, endedUser, endedKernel] = fields.slice(11, 15).map((hundredths) => hundredths / 100);
    return { all: own * (user + kernel) + endedUser + endedKernel, kernel: own * kernel + endedKernel };
  } catch {
    return { all: Number.NaN, kernel: Number.NaN };
  }
}

export const NO_TIME = { all: 0, kernel: 0 };

export const sumOfTimes = (times) =>
  times.reduce((sum, { all, kernel }) => ({ all: sum.all + all, kernel: sum.kernel + kernel }), NO_TIME);

/** `12 s of processor time (5 s in the kernel)`; empty when there is none or the system does not tell. */
export const wordsOfTime = ({ all, kernel }) =>
  all > 0 ? `${Math.round(all)} s of processor time (${Math.round(kernel)} s in the kernel)` : '';

let counted = NO_TIME;

/** The processor time of the processes that have ended since the last call: of one of them, if each end calls it. */
export function endedProcessorTime() {
  const before = counted;
  counted = processorTime({ own: 0 });
  return { all: counted.all - before.all, kernel: counted.kernel - before.kernel };
}

const LAST_WORDS_MS = 2000;

/**
 * Runs a program and resolves with {code, output, processor}, the last as {all, kernel} in seconds; after `limitSeconds` its process group is killed.
 * `onStart` gets its process id.
 */
export function run(command, args, { limitSeconds = 900, onStart = () => {}, ...options } = {}) {
  return new Promise((resolve) => {
    // An own process group, so that all of it can be killed.
    const child = spawn(command, args, {
      cwd: root,
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const endGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    if (child.pid !== undefined) onStart(child.pid);
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => chunks.push(chunk));
    }
    const watchdog = setTimeout(() => {
      chunks.push(`\n${path.basename(command)} was ended after ${limitSeconds} s\n`);
      endGroup();
    }, limitSeconds * 1000);
    // The group does not receive the terminal's signals, so it must not outlive this process.
    process.once('exit', endGroup);
    child.on('error', (error) => chunks.push(`${command}: ${error.message}\n`));
    // Its children may hold the output open: wait a moment for the last output, then end the group.
    let processor = NO_TIME;
    child.on('exit', () => {
      processor = endedProcessorTime();
      setTimeout(endGroup, LAST_WORDS_MS).unref();
    });
    child.on('close', (code) => {
      clearTimeout(watchdog);
      process.removeListener('exit', endGroup);
      resolve({ code: code ?? 1, output: chunks.join(''), processor });
    });
  });
}

// npm runs scripts through a shell that dies of npm's signal without forwarding it; this process then sees its parent gone.
export function onShellGone(callback) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    callback();
  }, 300);
  watch.unref();
}

/** On a signal: runs `before` and ends this process with its children. */
export function exitOnSignals(before = async () => {}) {
  const exit = (code) => void before().finally(() => process.exit(code));
  process.once('SIGINT', () => exit(130));
  process.once('SIGTERM', () => exit(143));
  process.once('SIGHUP', () => exit(129));
  onShellGone(() => exit(143));
}

/**
 * Runs a Bun program in place of this one: shares its output, forwards signals and returns its exit code. The child has its
 * own process group, because the server takes a second signal as "stop now", and a terminal or npm would deliver each signal
 * twice. It ends when this process is killed.
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
  onShellGone(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    process.stderr.write(`tollgate: cannot run ${bun}: ${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) =>
    process.exit(code ?? (signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 1)),
  );
}
