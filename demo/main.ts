// The entry of `npm run demo`: an installation with mock upstreams, sample users and thirty days of traffic, made anew at each
// start in the directory `./data-demo`. Nothing in server/ imports this folder.
import { ROLE } from '#contract/access.ts';
import type { DemoAccount } from '#contract/admin/site.ts';
import { startWith } from '#server/cli/start.ts';
import { createLog } from '#server/platform/log.ts';
import { DEMO_PASSWORD, PEOPLE } from './users.ts';
import { liveOn } from './live.ts';
import { emptyDirectory, readOptions, type DemoOptions } from './options.ts';
import { startProvider } from './provider.ts';
import { seedDemo } from './seed.ts';

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  const { environment, rootPassword, isPublic } = options;
  emptyDirectory(environment.dataDir);
  const startedAt = performance.now();
  const say = (line: string) => console.log(`tollgate: ${line}`);
  const provider = startProvider();
  const site = await seedDemo({
    ...options,
    provider,
    isReadOnly: isPublic,
    onStep: (step) => say(`${step} …`),
  });
  say(`the demo is filled (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  console.log(accountsBox(options));
  const ending = new AbortController();
  const log = createLog({ level: environment.logLevel });
  let living: Promise<void> | undefined;
  try {
    return await startWith(environment, {
      application: { demoAccounts: accountsOf(options) },
      onReady(url) {
        living = liveOn({ url, site, rootPassword, canBuy: !isPublic, signal: ending.signal, log });
      },
      onEnding: () => ending.abort(),
    });
  } finally {
    ending.abort();
    await living;
    await provider.stop();
  }
}

/** What the sign-in page offers. */
function accountsOf({ isPublic }: DemoOptions): DemoAccount[] {
  const root = { username: 'root', password: DEMO_PASSWORD, role: ROLE.root };
  const people = PEOPLE.filter(({ isOffered }) => isOffered).map(({ username, role }) => ({
    username,
    password: DEMO_PASSWORD,
    role,
  }));
  return isPublic ? people : [root, ...people];
}

function accountsBox(options: DemoOptions): string {
  const offered = accountsOf(options).map(({ username, password }) => `  ${username.padEnd(12)}${password}`);
  const secret = options.isPublic
    ? ['', `  ${'root'.padEnd(12)}${options.rootPassword}   (not shown to visitors)`]
    : [];
  return ['', 'Sign in as', ...offered, ...secret, ''].join('\n');
}

try {
  process.exit(await main());
} catch (error) {
  console.error(`tollgate: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
