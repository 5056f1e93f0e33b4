// The modules of the server in few files: `bun bundle-server.ts <folder>`. A process that starts from the sources reads a thousand
// modules, which takes two thirds of a second of processor time and 20 MB (ADR 126). Threads start from the sources. Errors name the lines
// of the sources: the runtime reads the maps beside the files.
import { fileURLToPath, pathToFileURL } from 'node:url';

const [, , folder = ''] = process.argv;

await Bun.build({
  entrypoints: [fileURLToPath(new URL('../server/cli/main.ts', import.meta.url))],
  target: 'bun',
  outdir: folder,
  splitting: true,
  sourcemap: 'linked',
  minify: { whitespace: true },
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
