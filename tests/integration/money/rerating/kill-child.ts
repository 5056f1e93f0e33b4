// The process that the crash test kills: it continues the open run and dies after a number of bookings, or inside one.
// Arguments: data directory, database address or '', how many bookings it survives, and where it dies.
import { writeSync } from 'node:fs';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter } from '#tests/support/databases.ts';
import { work } from './world.ts';

const [dataDir = '', databaseUrl = '', survivesText = '', where = ''] = process.argv.slice(2);
let left = Number(survivesText);
const die = () => process.kill(process.pid, 'SIGKILL');
const store = await openStore({
  dataDir,
  databaseUrl: databaseUrl || undefined,
  writerEntry: applicationWriter,
});
await work(store, {
  onBooked() {
    writeSync(1, 'booked\n');
    left -= 1;
    if (left > 0) return;
    if (where === 'between') die();
    // The next booking has begun by then, or it has ended: both must be whole after the restart.
    setTimeout(die, 1);
  },
});
await store.close();
writeSync(1, 'ended\n');
