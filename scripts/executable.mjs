// Builds the product as one file per platform: server, threads and console inside, nothing to install beside it.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bun, bunEnvironment, inRoot, run, runtime } from './project.mjs';

export const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** Threads of the server. In one folder with the entry: there a thread finds the next one by its name alone. */
export const threads = {
  writer: 'server/app/writer.ts',
  'reader-thread': 'server/platform/store/sqlite/reader-thread.ts',
  'backup-thread': 'server/platform/store/sqlite/backup-thread.ts',
  'rating-thread': 'server/money/rerating/rating-thread.ts',
  'impact-thread': 'server/money/price-book/impact-thread.ts',
};

/** The platform of this machine, as one of `platforms`. */
export const ownPlatform = `${process.platform}-${process.arch}`;

/** `dist` must be built. Resolves with the path of the file. */
export async function buildExecutable(platform, folder) {
  const entries = inRoot('node_modules', '.cache', 'executable');
  rmSync(entries, { recursive: true, force: true });
  mkdirSync(entries, { recursive: true });
  for (const [name, file] of Object.entries(threads))
    writeFileSync(path.join(entries, `${name}.ts`), `import ${JSON.stringify(inRoot(file))};\n`);
  writeFileSync(path.join(entries, 'settings.ts'), settingsText());
  writeFileSync(path.join(entries, 'tollgate.ts'), entryText());
  const target = path.join(folder, `tollgate-${platform}`);
  const args = [
    'build',
    '--compile',
    '--minify-whitespace',
    `--target=bun-${platform}`,
    ...['tollgate', ...Object.keys(threads)].map((name) => path.join(entries, `${name}.ts`)),
    '--outfile',
    target,
  ];
  const { code, output } = await run(bun, args, { env: bunEnvironment() });
  if (code !== 0) throw new Error(`the executable for ${platform} could not be built:\n${output}`);
  return target;
}

function settingsText() {
  const file = inRoot('server', 'cli', 'runtime-settings.ts');
  return `import { startWith } from ${JSON.stringify(file)};\nstartWith(${JSON.stringify(runtime)});\n`;
}

function entryText() {
  const dist = inRoot('dist');
  const files = readdirSync(dist, { recursive: true })
    .map(String)
    .filter((name) => statSync(path.join(dist, name)).isFile() && !/(^|\/)\.|\.(br|gz)$/.test(name));
  const imports = files.map(
    (name, index) =>
      `import file${index} from ${JSON.stringify(path.join(dist, name))} with { type: 'file' };`,
  );
  const entries = files.map((name, index) => `  [${JSON.stringify(`/${name}`)}, file${index}],`);
  return [
    // First of all: nothing should be loaded twice.
    "import './settings.ts';",
    ...imports,
    `import { embedConsole } from ${JSON.stringify(inRoot('server', 'admin', 'http', 'console.ts'))};`,
    'embedConsole(new Map([',
    ...entries,
    ']));',
    `await import(${JSON.stringify(inRoot('server', 'cli', 'main.ts'))});`,
    '',
  ].join('\n');
}
