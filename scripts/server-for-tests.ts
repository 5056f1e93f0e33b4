// The server for a whole `npm test`: `bun server-for-tests.ts <folder>` puts its modules into few files. A process that starts from
// the sources reads a thousand of them, two thirds of a second of processor time, and tests start a hundred. CI, and files that are run
// by name, start from the sources.
import { fileURLToPath, pathToFileURL } from 'node:url';

const [, , folder = ''] = process.argv;

await Bun.build({
  entrypoints: [fileURLToPath(new URL('../server/cli/main.ts', import.meta.url))],
  target: 'bun',
  outdir: folder,
  splitting: true,
  naming: { entry: 'main.js', chunk: '[hash].js' },
  plugins: [
    {
      name: 'addresses of the sources',
      setup(build) {
        // Threads and the console's build are found from there.
        build.onLoad({ filter: /[\\/]server[\\/].*\.ts$/ }, async ({ path }) => {
          const source = await Bun.file(path).text();
          const address = JSON.stringify(pathToFileURL(path).href);
          return { loader: 'ts', contents: source.replaceAll('import.meta.url', address) };
        });
      },
    },
  ],
});
