// Copies one database and answers once.
import { copyDatabase } from './backup.ts';
import { serialError } from './protocol.ts';
import { serveThread } from './thread.ts';

serveThread((text) => {
  const [source, target] = JSON.parse(text) as [string, string];
  try {
    copyDatabase(source, target);
    return JSON.stringify({ value: null });
  } catch (error) {
    return JSON.stringify({ error: serialError(error) });
  }
});
