// Runs a program to its end. Its processes are one group, so that all of them end with it or at the limit.
import { spawn } from 'node:child_process';

export interface ProgramOptions {
  cwd: string;
  limitSeconds: number;
  env?: Record<string, string | undefined>;
}

export interface Ended {
  /** Null when it was killed. */
  code: number | null;
  /** Both streams. */
  output: string;
}

export function runProgram(
  command: string,
  args: readonly string[],
  { limitSeconds, ...options }: ProgramOptions,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: withoutRuntime(process.env),
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const endGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const watchdog = setTimeout(() => {
      output += `\n${command} was ended after ${limitSeconds} s\n`;
      endGroup();
    }, limitSeconds * 1000);
    process.once('exit', endGroup);
    const end = (code: number | null) => {
      clearTimeout(watchdog);
      process.off('exit', endGroup);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      output += error.message;
      end(null);
    });
    // A grandchild may hold the output open.
    child.on('exit', () => setTimeout(endGroup, 2000).unref());
    child.on('close', end);
  });
}

/** A client that is built with another version of Bun does not start with this one's options (scripts/runtime.json). */
function withoutRuntime(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !/^(?:BUN|MIMALLOC)_/.test(name)));
}
