// Whether something was built from the sources as they are now: a hash of their names and texts. Tests do not count.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from './project.mjs';

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

/** `sources`: files and folders from the root. */
export function sourceHash(sources) {
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
