// The server for tests: `bun server-for-tests.ts <folder>` builds each thread of SQLite's store into one file, and with `server` also
// the whole server into a few. A process that starts from the sources reads a thousand of them, two thirds of a second of processor
// time, and tests start a hundred; tests/support/built-threads.ts has the same for threads. CI, and files that are run by name,
// start processes from the sources.
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BunPlugin } from 'bun';
import { threadEntries } from '#tests/support/built-threads.ts';

const [, , folder = '', ...more] = process.argv;

const source = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));

const addressesOfSources: BunPlugin = {
  name: 'addresses of the sources',
  setup(build) {
    // Threads and the console's build are found from there.
    build.onLoad({ filter: /[\\/]server[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const address = JSON.stringify(pathToFileURL(path).href);
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', address) };
    });
  },
};

await Bun.build({
  entrypoints: threadEntries.map(source),
  target: 'bun',
  outdir: folder,
  naming: '[name].js',
  plugins: [addressesOfSources],
});

if (more.includes('server'))
  await Bun.build({
    entrypoints: [source('server/cli/main.ts')],
    target: 'bun',
    outdir: folder,
    splitting: true,
    naming: { entry: 'main.js', chunk: '[hash].js' },
    plugins: [addressesOfSources],
  });
