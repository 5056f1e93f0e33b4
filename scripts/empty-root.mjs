// Starts the executable where nothing else is installed and makes it serve calls: in a root directory that has nothing but the C
// library (less than a bare Debian has), and in the tree of the image, with the user, variables, command and health check of the
// Dockerfile. The second stands for the image where no container runtime exists; what it leaves out is the build inside Docker.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFirstCalls } from './first-call.mjs';
import { inRoot, run, say } from './project.mjs';

const PATIENCE_MS = 60_000;
const ROOT_PASSWORD = 'password-of-the-check';

/** As a file on a machine that root starts. */
const plain = {
  name: 'an empty root',
  file: '/tollgate',
  command: ['/tollgate', 'start'],
  user: 0,
  env: { DATA_DIR: '/data' },
  health: ['/tollgate', 'health'],
};

export async function checkInEmptyRoot(executable) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    say('skipped: an empty root needs Linux and root');
    return;
  }
  const image = imageOf(readFileSync(inRoot('Dockerfile'), 'utf8'));
  for (const tree of [plain, { name: 'the tree of the image', ...image }]) await check(executable, tree);
}

/** What the last stage of the Dockerfile says of its process. Throws where the Dockerfile says it in another way. */
export function imageOf(dockerfile) {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const match = (pattern) => {
    const found = pattern.exec(stage);
    if (found === null) throw new Error(`the Dockerfile's last stage has nothing like ${pattern}`);
    return found;
  };
  const [, file] = match(/^COPY --from=\S+ \S+ (\S+)$/m);
  const [, uid, home] = match(/useradd --uid (\d+) --create-home --home-dir (\S+) tollgate$/m);
  match(/^USER tollgate$/m);
  const words = (pattern) => JSON.parse(match(pattern)[1]);
  // The image finds the command by its PATH; a chroot has none.
  const absolute = ([name, ...rest]) => [name === path.basename(file) ? file : name, ...rest];
  const env = Object.fromEntries(
    [...stage.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
  if (env.DATA_DIR !== home) throw new Error(`the image's user owns ${home}, not ${env.DATA_DIR}`);
  return {
    file,
    command: absolute([...words(/^ENTRYPOINT (\[.*\])$/m), ...words(/^CMD (\[.*\])$/m)]),
    user: Number(uid),
    env,
    health: absolute(words(/^HEALTHCHECK .*CMD (\[.*\])$/m)),
  };
}

async function check(executable, tree) {
  const root = mkdtempSync(path.join(tmpdir(), 'tollgate-root-'));
  try {
    await fill(root, executable, tree);
    await serveIn(root, tree);
    say(`the executable serves calls in ${tree.name}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function fill(root, executable, { file, user, env }) {
  for (const folder of ['tmp', 'proc', 'dev', 'etc', env.DATA_DIR, path.dirname(file)])
    mkdirSync(path.join(root, folder), { recursive: true });
  chmodSync(root, 0o755);
  chmodSync(path.join(root, 'tmp'), 0o1777);
  // Only the data belongs to the process's user.
  chownSync(path.join(root, env.DATA_DIR), user, user);
  writeFileSync(path.join(root, 'etc/passwd'), `tollgate:x:${user}:${user}::${env.DATA_DIR}:/bin/false\n`);
  copyFileSync(executable, path.join(root, file));
  chmodSync(path.join(root, file), 0o755);
  const { output } = await run('ldd', [executable], {});
  for (const [, library] of output.matchAll(/(\/\S+\.so\S*)/g)) {
    mkdirSync(path.join(root, path.dirname(library)), { recursive: true });
    copyFileSync(library, path.join(root, library));
  }
}

/** A process in the tree. Devices and /proc as every Linux has them; the mounts end with the process. */
function enter(root, user, command, env) {
  const script =
    'mount --rbind /dev "$1/dev" && mount --rbind /proc "$1/proc" && root=$1 user=$2 && shift 2 && ' +
    'exec chroot --userspec="$user:$user" "$root" "$@"';
  const args = ['--mount', 'sh', '-c', script, 'sh', root, String(user), ...command];
  const child = spawn('unshare', args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
  return { child, output: () => output, ended: new Promise((resolve) => child.once('close', resolve)) };
}

async function serveIn(root, { command, user, env, health }) {
  const port = await freePort();
  const variables = {
    ...env,
    PORT: String(port),
    HOST: '127.0.0.1',
    INITIAL_ROOT_PASSWORD: ROOT_PASSWORD,
    ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
    EGRESS_ALLOW: '127.0.0.1',
  };
  const { child, output, ended } = enter(root, user, command, variables);
  const address = `http://127.0.0.1:${port}`;
  try {
    await untilReady(child, output);
    for (const [place, expected] of [
      ['/readyz', '"ready"'],
      ['/', '<div id="root">'],
      ['/api/status', '"version"'],
    ]) {
      const text = await (await fetch(address + place)).text();
      if (!text.includes(expected)) throw new Error(`${place} answered ${text.slice(0, 300)}`);
    }
    expectUser(child.pid, user);
    await makeFirstCalls(address, ROOT_PASSWORD);
    const asked = enter(root, user, health, variables);
    const code = await asked.ended;
    if (code !== 0) throw new Error(`the health check ended with ${code}: ${asked.output()}`);
  } catch (error) {
    throw new Error(`${error.message}\n${output()}`, { cause: error });
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  if (child.exitCode !== 0) throw new Error(`the executable ended with ${child.exitCode}:\n${output()}`);
}

async function untilReady(child, output) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!output().includes('ready at')) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('the executable did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** `unshare`, `sh` and `chroot` replace each other by exec, so the process still has the first one's id. */
function expectUser(pid, user) {
  const [, real] = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (Number(real) !== user) throw new Error(`the process runs as user ${real}, not ${user}`);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
