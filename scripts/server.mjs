// The server that `npm start` runs: its modules in few files, built again when the sources have changed (ADR 126).
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { whileLocked } from './lock.mjs';
import { bun, bunEnvironment, inRoot, run, say, seconds } from './project.mjs';
import { sourceHash } from './source-hash.mjs';

const sources = [
  'server',
  'contract',
  'scripts/bundle-server.ts',
  'package-lock.json',
  'package.json',
  'tsconfig.base.json',
];
const builds = inRoot('node_modules', '.cache', 'server');

/** Of a folder made by `bundle-server.ts`. */
const entryIn = (folder) => path.join(folder, 'main.js');

/** Builds the server when its sources have changed since the last build; resolves with the file to run. */
export async function ensureServer() {
  const folder = path.join(builds, sourceHash(sources).slice(0, 16));
  if (existsSync(entryIn(folder))) return entryIn(folder);
  // A server whose user may not write here serves from the sources.
  if (!isWritable(inRoot('node_modules'))) return inRoot('server', 'cli', 'main.ts');
  mkdirSync(builds, { recursive: true });
  const onWait = () => say('tollgate: another process builds the server here; waiting …');
  await whileLocked(`${builds}.lock`, { onWait }, async ({ alsoRuns }) => {
    if (existsSync(entryIn(folder))) return;
    const startedAt = Date.now();
    // The newest may be running, and loads some of its files when they are needed.
    for (const old of newestFirst(builds).slice(1)) rmSync(old, { recursive: true, force: true });
    // What was cut short has another name.
    await buildServer(`${folder}.part`, { onStart: alsoRuns });
    renameSync(`${folder}.part`, folder);
    say(`tollgate: server built (${seconds(startedAt)})`);
  });
  return entryIn(folder);
}

/** Resolves with the file to run. */
export async function buildServer(folder, options = {}) {
  const script = inRoot('scripts', 'bundle-server.ts');
  const { code, output } = await run(bun, [script, folder], { env: bunEnvironment(), ...options });
  if (code !== 0) throw new Error(`the server did not build:\n${output}`);
  return entryIn(folder);
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function newestFirst(folder) {
  const changedAt = (name) => statSync(name).mtimeMs;
  const paths = readdirSync(folder).map((name) => path.join(folder, name));
  return paths.toSorted((one, other) => changedAt(other) - changedAt(one));
}
