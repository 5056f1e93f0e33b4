// Unpacks a client from npm into a folder of the user's cache, once (`--update`: the newest version again), without running
// anything of it; its install scripts run later, where there is no network.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { runProgram } from './process.ts';
import type { Program } from './programs.ts';

const cache = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'tollgate-clients');
const limitSeconds = 300;

export type Prepared = { binaries: string; version: string } | { reason: string };

const folderOf = ({ binary }: Program): string => path.join(cache, binary);
const manifestOf = (program: Program): string =>
  path.join(folderOf(program), 'node_modules', program.package, 'package.json');

/** The reason why it could not; undefined when it is there. */
export async function unpack(program: Program, update: boolean): Promise<string | undefined> {
  const { package: name } = program;
  const folder = folderOf(program);
  const manifest = manifestOf(program);
  if (update || !existsSync(manifest)) {
    mkdirSync(folder, { recursive: true });
    // Without a manifest here npm would install into the nearest folder above that has one.
    const own = { private: true, allowScripts: { [name]: true } };
    writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(own)}\n`);
    const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
    const { code, output } = await runProgram('npm', ['install', `${name}@latest`, ...options], {
      cwd: folder,
      limitSeconds,
    });
    if (code !== 0) return `npm could not install ${name}: ${lastLine(output)}`;
  }
  return undefined;
}

/** Runs the install scripts and the program for the first time. */
export async function prepare(program: Program): Promise<Prepared> {
  const { binary, package: name } = program;
  const folder = folderOf(program);
  const binaries = path.join(folder, 'node_modules', '.bin');
  const manifest = manifestOf(program);
  if (!existsSync(manifest)) return { reason: 'it is not installed' };
  const built = await runProgram('npm', ['rebuild', name, '--foreground-scripts'], {
    cwd: folder,
    limitSeconds,
  });
  if (built.code !== 0) return { reason: `npm rebuild: ${lastLine(built.output)}` };
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const started = await runProgram(path.join(binaries, binary), ['--version'], {
    cwd: folder,
    limitSeconds: 60,
  });
  if (started.code !== 0) return { reason: `${binary} --version: ${lastLine(started.output)}` };
  return { binaries, version };
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? '';
