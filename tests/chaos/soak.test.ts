// Random faults for soakMinutes: the gateway and the database are killed, upstreams break and callers leave at any
// point, prices change, users are banned and credited. Every minute all books are compared.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { connectUpstream } from '#tests/support/channels.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { spawnMockUpstream } from '#mock/upstream/spawn.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { rootPassword } from '#tests/support/root-token.ts';
import { compareBooks } from './books.ts';
import { crashPostgres } from './crash-postgres.ts';
import { isLong, soakMinutes, printFigures } from './extent.ts';
import { startLoad, type Mischief } from './load.ts';
import { between, startRandomChanges } from './random-changes.ts';
import { addPeople } from './people.ts';
import { freePort } from './storm.ts';
import { startSupervised } from './supervised.ts';

const rounds = Math.max(1, Math.round(soakMinutes));
const roundSeconds = soakMinutes < 1 ? 6 : 60;
setDefaultTimeout(60_000 + rounds * (roundSeconds + 30) * 1000);

const callers = 12;
const quota = 50_000_000;
const secondsBetweenKills: readonly [number, number] = soakMinutes < 1 ? [1, 2] : [5, 15];

const mischiefs: readonly (() => Mischief)[] = [
  () => ({ leaveMilliseconds: between(1, 300) }),
  () => ({ behaviour: { resetAfterEvents: between(0, 30) } }),
  () => ({ behaviour: { cutAfterEvents: between(0, 30) } }),
  () => ({ behaviour: { errorAfterEvents: between(1, 30) } }),
  () => ({ behaviour: { status: 500 } }),
  () => ({ behaviour: { stall: { afterEvents: between(0, 5), milliseconds: 400 } } }),
];
const oneInThree = (): Mischief => mischiefs[between(0, mischiefs.length * 3)]?.() ?? {};

const databases: readonly DatabaseLabel[] = isLong || soakMinutes >= 1 ? ['sqlite', 'postgres'] : ['sqlite'];

test.each(databases)(
  'M24 a soak on %s: at the end of each minute every unit is accounted for (plan M24)',
  async (label) => {
    const postgres = label === 'postgres' ? await startPostgres() : undefined;
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-soak-'));
    const place = { dataDir, databaseUrl: postgres?.url };
    await using mock = await spawnMockUpstream({ keepRequests: 1_000_000 });
    // A failing channel cools down; the others serve.
    for (let channel = 0; channel < 4; channel += 1)
      await connectUpstream(place, { base_url: mock.url, models: ['gpt-4o-mini'] });
    const environment = {
      PORT: String(await freePort()),
      DATABASE_URL: postgres?.url ?? '',
      INITIAL_ROOT_PASSWORD: rootPassword,
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      LOG_LEVEL: 'error',
    };
    const start = () => startSupervised({ dataDir, environment });
    let gateway = await start();
    await gateway.stop();
    const people = await addPeople(place, 6, quota);
    const key = () => people[between(0, people.length - 1)]?.key ?? '';
    let lastLogId = 0;
    try {
      for (let round = 1; round <= rounds; round += 1) {
        gateway = await start();
        const load = startLoad([gateway.url], key, callers, oneInThree);
        const changes = startRandomChanges(gateway.url, people);
        const until = performance.now() + roundSeconds * 1000;
        let kills = 0;
        for (;;) {
          await Bun.sleep(Math.min(between(...secondsBetweenKills) * 1000, until - performance.now()));
          if (performance.now() >= until) break;
          kills += 1;
          if (postgres !== undefined && kills % 2 === 0) await crashPostgres(postgres.pid);
          else {
            await gateway.kill9();
            gateway = await start();
          }
        }
        await load.stop();
        await changes.stop();
        await gateway.stop();
        // The next start books the spool that was left at the stop.
        gateway = await start();
        await gateway.stop();
        const served = await mock.requests({ limit: 1_000_000 });
        const comparison = await compareBooks(place, load, served, lastLogId);
        ({ lastLogId } = comparison);
        await mock.reset();
        const { acknowledged, broken } = load;
        const changesDone = changes.done;
        printFigures(`soak on ${label}, minute ${round}`, {
          ...comparison,
          acknowledged: acknowledged.length,
          broken,
          kills,
          changesDone,
        });
        expect(acknowledged.length).toBeGreaterThan(10);
        expect(broken).toBeGreaterThan(0);
        expect(kills).toBeGreaterThan(0);
        expect(changesDone).toBeGreaterThan(0);
        const { wrong, overcharged, brokenInvariants, holdsLeft } = comparison;
        expect({ wrong, overcharged, brokenInvariants, holdsLeft }).toEqual({
          wrong: [],
          overcharged: [],
          brokenInvariants: [],
          holdsLeft: 0,
        });
        faultSeen(
          'M24',
          `${label}, ${roundSeconds} s: ${acknowledged.length} calls, ${broken} broken, ${kills} kills, ${changesDone} changes`,
        );
      }
    } finally {
      await gateway.kill9();
      await postgres?.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
);
