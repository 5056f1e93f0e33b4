// Which test files share a process: a process for each file spends a second on loading the same modules.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './project.mjs';

/**
 * Files that change their process for the others in it, or measure it, have a process of their own; so have random tests, whose
 * seed and whose failure are not those of a neighbour.
 */
const ownProcess = new RegExp(
  [
    String.raw`mock\.module|spyOn|setSystemTime|useFakeTimers|globalThis\.\w+ = |Bun\.password\.|useRealPasswordCost`,
    String.raw`process\.env(\[[^\]]+\]|\.\w+) = |delete process\.env|process\.(on|chdir)\(`,
    String.raw`memoryUsage|heapStats|Bun\.gc|proc/self|process-ports`,
    String.raw`support/random\.ts|#tests/chaos/crash`,
  ].join('|'),
);

export const needsOwnProcess = (source) => ownProcess.test(source);

/** `tests/integration/money/ledger/holds.test.ts` → `tests/integration/money`: files of one wing load the same modules. */
const wingOf = (file) => path.posix.dirname(file).split('/').slice(0, 3).join('/');

/**
 * Groups of at most `most` files of the same wing and the same environment, in the order of their first files. `envOf` gives the
 * variables of a file; files that match `alone` share nothing.
 */
export function groupsOf(files, { most, envOf = () => ({}), alone = /^$/ }) {
  const groups = [];
  for (const file of files) {
    const env = envOf(file);
    const isAlone = most === 1 || alone.test(file) || needsOwnProcess(readFileSync(inRoot(file), 'utf8'));
    const kind = isAlone ? file : `${wingOf(file)} ${JSON.stringify(env)}`;
    const open = groups.find((group) => group.kind === kind && group.files.length < most);
    if (open) open.files.push(file);
    else groups.push({ kind, env, files: [file] });
  }
  return groups.map(({ env, files: together }) => ({ env, files: together }));
}
