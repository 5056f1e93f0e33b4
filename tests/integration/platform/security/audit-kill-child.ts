// The process the audit kill test ends with SIGKILL: an application whose super admin renames themselves once, or creates
// tokens and renames themselves as fast as possible. Arguments: data directory, database address or '', `once` or `load`,
// a name of the run.
import { writeSync } from 'node:fs';
import { ROOT_PASSWORD, startApplication } from '#tests/support/application.ts';

const [dataDir = '', databaseUrl = '', mode = '', run = ''] = process.argv.slice(2);
const app = await startApplication({ place: databaseUrl === '' ? { dataDir } : { dataDir, databaseUrl } });

const root = await app.login('root', ROOT_PASSWORD);
const client = app.client(root);

async function keepCreating(): Promise<never> {
  for (;;) {
    await client.tokens.create({ body: { name: run } });
    writeSync(1, 'created\n');
  }
}

async function keepRenaming(): Promise<never> {
  for (let index = 0; ; index += 1)
    await client.users.changeSelf({ body: { display_name: `${run}-${index}` } });
}

if (mode === 'once') {
  writeSync(1, 'sending\n');
  await client.users.changeSelf({ body: { display_name: run } });
  writeSync(1, 'answered\n');
} else {
  await Promise.all([keepCreating(), keepCreating(), keepCreating(), keepRenaming(), keepRenaming()]);
}
