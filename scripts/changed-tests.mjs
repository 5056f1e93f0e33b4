// Which test files a change can reach: those that import a changed file, over any number of files between, or name it in a
// `new URL('…', import.meta.url)`. Browser tests run the built console, so a change below web/ reaches all of them.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, root, run } from './project.mjs';
import { findTests } from './test-files.mjs';
import { unitFolders } from './steps.mjs';

const references =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\bimport\.meta\.resolve\(|\bnew (?:URL|Worker)\(\s*)['"]((?:#|\.{1,2}\/)[^'"]+)['"]/g;

/** The files of the project that this source refers to, as paths from the root. */
export function referencesOf(file, source) {
  return [...source.matchAll(references)].map(([, name]) =>
    name.startsWith('#')
      ? name.slice(1)
      : path.posix.normalize(path.posix.join(path.posix.dirname(file), name)),
  );
}

/** The tests among `files` that reach one of the changed files. `read` gives a source, or undefined when there is none. */
export function reachedBy(changed, files, read) {
  const changedFiles = new Set(changed);
  const referencesOfFile = new Map();
  const referred = (file) => {
    if (!referencesOfFile.has(file)) referencesOfFile.set(file, referencesOf(file, read(file) ?? ''));
    return referencesOfFile.get(file);
  };
  const consoleChanged = changed.some((file) => file.startsWith('web/'));
  return files.filter((test) => {
    if (consoleChanged && test.startsWith('tests/e2e/')) return true;
    const seen = new Set([test]);
    for (const file of seen) {
      if (changedFiles.has(file)) return true;
      for (const next of referred(file)) seen.add(next);
    }
    return false;
  });
}

/** What git reports as changed since the commit, in the working tree too, and new files. */
async function changedSince(commit) {
  const lists = await Promise.all([
    run('git', ['diff', '--name-only', '--no-renames', commit], { cwd: root }),
    run('git', ['ls-files', '--others', '--exclude-standard'], { cwd: root }),
  ]);
  const failed = lists.find(({ code }) => code !== 0);
  if (failed) throw new Error(`git does not say what changed since ${commit}:\n${failed.output}`);
  return lists.flatMap(({ output }) => output.split('\n')).filter((line) => line !== '');
}

/** Without a commit: since main, or since the last commit on main itself. */
async function startOfChange() {
  const base = await run('git', ['merge-base', 'HEAD', 'main'], { cwd: root });
  return base.code === 0 ? base.output.trim() : 'HEAD';
}

export async function changedTests(commit) {
  const changed = await changedSince(commit ?? (await startOfChange()));
  const read = (file) => {
    const full = inRoot(file);
    return /\.(ts|tsx|mjs|js)$/.test(file) && existsSync(full) ? readFileSync(full, 'utf8') : undefined;
  };
  return reachedBy(changed, findTests([...unitFolders, 'tests']), read);
}
