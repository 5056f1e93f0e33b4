// Copies one database, or computes the digest of one file, and answers once.
import { copyDatabase, digestFile } from './backup.ts';
import { serialError } from './protocol.ts';
import { serveThread } from './thread.ts';

serveThread((text) => {
  const [source, target] = JSON.parse(text) as [string, string | null];
  try {
    if (target === null) return JSON.stringify({ value: digestFile(source) });
    copyDatabase(source, target);
    return JSON.stringify({ value: null });
  } catch (error) {
    return JSON.stringify({ error: serialError(error) });
  }
});
