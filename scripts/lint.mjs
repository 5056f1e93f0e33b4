// Lint for `npm run check`: only the files that changed since the last lint without a finding, and those that import them, directly
// or through others, because rules read types. `npm test` lints everything.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { binary, bun, goEnvironment, inRoot, root, run } from './project.mjs';

const kept = inRoot('node_modules', '.cache', 'lint.json');
const isSource = (file) => /\.(ts|tsx|mts|mjs|js|jsx)$/.test(file);
/** What decides about every file. */
const decidesAll = (file) =>
  /(^|\/)(oxlint\.config\.ts|tsconfig[\w.]*\.json|package\.json|package-lock\.json)$/.test(file);
/** Beyond this, linting everything costs no more. */
const MOST_FILES = 400;

const digest = (text) => createHash('sha256').update(text).digest('base64');

/** The files that a text imports, as paths from the root; packages are left out. */
export function importsIn(file, text) {
  const names = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([#.][^'"]+)['"]/g)].map(([, name]) => name);
  return names.map((name) =>
    name.startsWith('#') ? name.slice(1) : path.posix.join(path.posix.dirname(file), name),
  );
}

/** `changed` and everything that imports one of it, directly or through others. `imports`: file → what it imports. */
export function affectedBy(changed, imports) {
  const importers = new Map();
  for (const [file, names] of imports)
    for (const name of names) importers.set(name, [...(importers.get(name) ?? []), file]);
  const found = new Set(changed);
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return found;
}

/** Undefined without git: then there is no list of the project's own files. */
function readSources() {
  let list;
  try {
    list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root });
  } catch {
    return undefined;
  }
  const files = list
    .toString()
    .split('\0')
    .filter((file) => existsSync(inRoot(file)));
  const texts = files
    .filter((file) => isSource(file) || decidesAll(file))
    .map((file) => [file, readFileSync(inRoot(file), 'utf8')]);
  const sources = texts.filter(([file]) => isSource(file));
  return {
    everything: digest(texts.filter(([file]) => decidesAll(file)).join('\0')),
    digests: Object.fromEntries(sources.map(([file, text]) => [file, digest(text)])),
    imports: sources.map(([file, text]) => [file, importsIn(file, text)]),
  };
}

function readKept() {
  try {
    return JSON.parse(readFileSync(kept, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The files to lint, from what was kept after the last lint without a finding; undefined: all. */
export function filesToLint(before, now) {
  if (before === undefined || before.everything !== now.everything) return undefined;
  const names = new Set([...Object.keys(before.digests), ...Object.keys(now.digests)]);
  const changed = [...names].filter((file) => before.digests[file] !== now.digests[file]);
  // A file that is gone cannot be linted, but those that import it can.
  const affected = [...affectedBy(changed, now.imports)].filter((file) => file in now.digests);
  return affected.length > MOST_FILES ? undefined : affected;
}

const lint = (files, limitSeconds = 900) =>
  run(bun, ['--bun', binary('oxlint'), '--quiet', ...files], { env: goEnvironment(), limitSeconds });

export const lintEverything = (limitSeconds) => lint([], limitSeconds);

/** As a step of `npm run check`. */
export async function lintChanged() {
  const now = readSources();
  const files = now && filesToLint(readKept(), now);
  if (files?.length === 0) return { code: 0, output: '' };
  const result = await lint(files ?? []);
  if (result.code !== 0) rmSync(kept, { force: true });
  else if (now) {
    mkdirSync(path.dirname(kept), { recursive: true });
    writeFileSync(kept, JSON.stringify({ everything: now.everything, digests: now.digests }));
  }
  return result;
}
