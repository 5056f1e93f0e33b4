// Loaded before every test file (bunfig.toml). The runner has built the threads of SQLite's store into a file each
// (scripts/bundle-server.ts): from the sources the three threads of an application read fifty modules, which is a fifth of the
// processor time of its start, and tests start a thousand. A test file that is run without the runner starts them from the sources.
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where threads begin, from the root. */
export const threadEntries = ['server/app/writer.ts', 'server/platform/store/sqlite/reader-thread.ts'];

/** Address of a source → address of the file that was built from it. */
export const builtThreads = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    threadEntries.map((entry) => [
      new URL(`../../${entry}`, import.meta.url).href,
      pathToFileURL(`${folder}/${basename(entry, '.ts')}.js`).href,
    ]),
  );

const folder = process.env['THREADS_FOR_TESTS'];

if (folder !== undefined) {
  const addresses = builtThreads(folder);
  globalThis.Worker = class extends globalThis.Worker {
    constructor(...[entry, options]: ConstructorParameters<typeof Worker>) {
      super(addresses.get(String(entry)) ?? entry, options);
    }
  };
}
