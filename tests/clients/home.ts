// A home folder set up as the Connect wizard says, and one run of the client in it.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { guideOf, type Connection } from '#web/features/tokens/connect/clients.ts';
import { runProgram, type Ended } from './process.ts';
import type { Program } from './programs.ts';

const limitSeconds = 120;

/** Writes the wizard's files and returns the shell script whose last word is the program. */
function configure(program: Program, connection: Connection, home: string): string {
  const write = (place: string, text: string) => {
    const file = path.join(home, place);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const [place, text] of Object.entries(program.files ?? {})) write(place, text);
  let script = program.binary;
  for (const step of guideOf(program.client, connection).steps) {
    if (step.kind === 'terminal') script = step.text;
    else if (step.kind === 'text' && step.place.startsWith('~/')) write(step.place.slice(2), step.text);
    else throw new Error(`the guide of ${program.client} has a step for a person: ${JSON.stringify(step)}`);
  }
  return script;
}

export interface ClientRun {
  home: string;
  binaries: string;
  prompt: string;
  /** Of the fence. */
  variables: Record<string, string>;
}

export async function runClient(
  program: Program,
  connection: Connection,
  { home, binaries, prompt, variables }: ClientRun,
): Promise<Ended> {
  const script = configure(program, connection, home);
  const quoted = program.arguments(prompt).map((text) => `'${text.replaceAll("'", "'\\''")}'`);
  const environment = Object.entries(program.environment).map(([name, value]) => [
    name,
    value.replace(/^~/, home),
  ]);
  const work = path.join(home, 'work');
  return await runProgram('sh', ['-c', `${script} ${quoted.join(' ')}`], {
    cwd: work,
    limitSeconds,
    env: {
      PATH: `${binaries}:${process.env['PATH']}`,
      HOME: home,
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      ...variables,
      ...Object.fromEntries(environment),
    },
  });
}
