// Builds the console into dist/ and stores a hash of its sources, so that an unchanged console is not built again.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whileLocked } from './lock.mjs';
import { binary, bun, bunEnvironment, inRoot, root, run, say, seconds } from './project.mjs';

const sources = [
  'web',
  'contract',
  // The console shows the documents.
  'docs',
  'vite.config.ts',
  'package-lock.json',
  'package.json',
  'tsconfig.base.json',
];
const stamp = inRoot('dist', '.built-from');

function* filesUnder(entry) {
  const full = inRoot(entry);
  if (!existsSync(full)) return;
  if (path.extname(entry) !== '') {
    yield entry;
    return;
  }
  const entries = readdirSync(full, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const child of entries) {
    const name = path.join(entry, child.name);
    if (child.isDirectory()) yield* filesUnder(name);
    else if (!/\.test\.tsx?$/.test(child.name)) yield name;
  }
}

function sourceHash() {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of filesUnder(source))
      hash
        .update(file)
        .update('\0')
        .update(readFileSync(inRoot(file)))
        .update('\0');
  }
  return hash.digest('hex');
}

const isBuiltFrom = (hash) => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;

/**
 * Builds the console when its sources changed since the last build; throws with Vite's output when it fails. Vite empties the folder
 * first, so two processes in one checkout wait for each other.
 */
export async function ensureConsole() {
  const hash = sourceHash();
  if (isBuiltFrom(hash)) return;
  const onWait = () => say('tollgate: another process builds the console here; waiting …');
  await whileLocked(inRoot('.console.lock'), { onWait }, async ({ alsoRuns }) => {
    if (isBuiltFrom(hash)) return;
    const startedAt = Date.now();
    say('tollgate: building the console …');
    // Vite requires a newer Node than this project, so Bun runs it.
    const env = bunEnvironment({ NODE_ENV: 'production', NO_COLOR: '1' });
    const options = { cwd: root, env, onStart: alsoRuns };
    const result = await run(bun, ['--bun', binary('vite'), 'build'], options);
    if (result.code !== 0) throw new Error(`the console did not build:\n${result.output}`);
    mkdirSync(path.dirname(stamp), { recursive: true });
    writeFileSync(stamp, hash);
    say(`tollgate: console built (${seconds(startedAt)})`);
  });
}
