// The process the audit kill test ends with SIGKILL: an application whose users change things as fast as they can, or one
// user who renames themselves once. Arguments: data directory, database address or '', `once` or `load`, a name of the run.
import { writeSync } from 'node:fs';
import { startApplication, ROOT_PASSWORD, type Actor } from '#tests/support/application.ts';

const [dataDir = '', databaseUrl = '', mode = '', run = ''] = process.argv.slice(2);
const app = await startApplication({ place: databaseUrl === '' ? { dataDir } : { dataDir, databaseUrl } });

async function keepChanging(user: Actor): Promise<never> {
  const client = app.client(user);
  for (let index = 0; ; index += 1) {
    await client.tokens.create({ body: { name: `${run}-${index}` } });
    await client.users.changeSelf({ body: { display_name: `${run}-${index}`.slice(-20) } });
    writeSync(1, 'changed\n');
  }
}

if (mode === 'once') {
  const root = await app.login('root', ROOT_PASSWORD);
  writeSync(1, 'sending\n');
  await app.client(root).users.changeSelf({ body: { display_name: run } });
  writeSync(1, 'answered\n');
} else {
  const users = await Promise.all(Array.from({ length: 6 }, () => app.actor()));
  writeSync(1, 'ready\n');
  await Promise.all(users.map(keepChanging));
}
