// The modules of the server in few files: `bun bundle-server.ts <folder>`. A process that starts from the sources reads a thousand
// modules, which takes two thirds of a second of processor time and 20 MB (ADR 126). Threads start from the sources. Errors name the lines
// of the sources: the runtime reads the maps beside the files. `bun bundle-server.ts <folder> threads` builds the threads of SQLite's
// store instead, each into one file: for tests, which start a thousand (tests/support/built-threads.ts).
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { BunPlugin } from 'bun';

const [, , folder = '', what = 'server'] = process.argv;

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

if (what === 'threads') {
  const { threadEntries } = await import('#tests/support/built-threads.ts');
  await Bun.build({
    entrypoints: threadEntries.map(source),
    target: 'bun',
    outdir: folder,
    naming: '[name].js',
    plugins: [addressesOfSources],
  });
} else {
  await Bun.build({
    entrypoints: [source('server/cli/main.ts')],
    target: 'bun',
    outdir: folder,
    splitting: true,
    sourcemap: 'linked',
    minify: { whitespace: true },
    naming: { entry: 'main.js', chunk: '[hash].js' },
    plugins: [addressesOfSources],
  });
}
