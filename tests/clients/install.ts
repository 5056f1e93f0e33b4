// Installs a client from npm into a folder of the user's cache, once; `--update` installs the newest version again.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { runProgram } from './process.ts';
import type { Program } from './programs.ts';

const cache = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'tollgate-clients');
const limitSeconds = 300;

export type Installed = { binaries: string; version: string } | { reason: string };

export async function installed({ package: name, binary }: Program, update: boolean): Promise<Installed> {
  const folder = path.join(cache, binary);
  const binaries = path.join(folder, 'node_modules', '.bin');
  const manifest = path.join(folder, 'node_modules', name, 'package.json');
  if (update || !existsSync(manifest)) {
    mkdirSync(folder, { recursive: true });
    // Without a manifest here npm would install into the nearest folder above that has one.
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
    const options = ['--no-audit', '--no-fund', '--foreground-scripts', `--allow-scripts=${name}`];
    const { code, output } = await runProgram('npm', ['install', `${name}@latest`, ...options], {
      cwd: folder,
      limitSeconds,
    });
    if (code !== 0) return { reason: `npm could not install ${name}: ${lastLine(output)}` };
  }
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const started = await runProgram(path.join(binaries, binary), ['--version'], {
    cwd: folder,
    limitSeconds: 60,
  });
  if (started.code !== 0) return { reason: `${binary} --version: ${lastLine(started.output)}` };
  return { binaries, version };
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? '';
