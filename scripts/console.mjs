// Builds the console into dist/ and stores a hash of its sources, so that an unchanged console is not built again.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whileLocked } from './lock.mjs';
import { binary, bun, bunEnvironment, inRoot, root, run, say, seconds } from './project.mjs';
import { sourceHash } from './source-hash.mjs';

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
const stampIn = (folder) => path.join(folder, '.built-from');

const isBuiltFrom = (folder, hash) =>
  existsSync(stampIn(folder)) && readFileSync(stampIn(folder), 'utf8') === hash;

/**
 * Builds the console when its sources changed since the last build; throws with Vite's output when it fails. Vite empties the folder
 * first, so two processes in one checkout wait for each other.
 */
export const ensureConsole = () => ensureBuilt(inRoot('dist'), inRoot('vite.config.ts'));

/** The console for tests; resolves with its folder. */
export async function ensureConsoleForTests() {
  const folder = inRoot('node_modules', '.cache', 'console-for-tests');
  await ensureBuilt(folder, inRoot('scripts', 'console-for-tests.mjs'));
  return folder;
}

async function ensureBuilt(folder, config) {
  const hash = sourceHash([...sources, path.relative(root, config)]);
  if (isBuiltFrom(folder, hash)) return;
  const onWait = () => say('tollgate: another process builds the console here; waiting …');
  await whileLocked(inRoot('.console.lock'), { onWait }, async ({ alsoRuns }) => {
    if (isBuiltFrom(folder, hash)) return;
    const startedAt = Date.now();
    say('tollgate: building the console …');
    // Vite requires a newer Node than this project, so Bun runs it.
    const env = bunEnvironment({ NODE_ENV: 'production', NO_COLOR: '1' });
    const options = { cwd: root, env, onStart: alsoRuns };
    const result = await run(bun, ['--bun', binary('vite'), 'build', '--config', config], options);
    if (result.code !== 0) throw new Error(`the console did not build:\n${result.output}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(stampIn(folder), hash);
    say(`tollgate: console built (${seconds(startedAt)})`);
  });
}
