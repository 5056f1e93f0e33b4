// The commands, their arguments and exit codes (0 done, 1 failed, 2 wrong usage or environment).
import {
  EnvironmentError,
  environmentSchema,
  readEnvironment,
  type Environment,
} from '#server/platform/env.ts';
import { readArguments, type OptionKinds, type OptionValues } from './arguments.ts';
import { explain } from './explain.ts';
import { VERSION } from '#server/platform/version.ts';
import { VARIABLES_OPTION } from './variables.ts';

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

type Run = (
  environment: Environment,
  parameters: readonly string[],
  options: OptionValues,
) => Promise<number>;

interface Command {
  /** Names of the arguments; all are required. */
  parameters: readonly string[];
  /** `--name` and `--name <value>`, which may be left out. */
  options?: OptionKinds;
  help: string;
  /** A command is loaded when it is chosen: all together take half a second, and `health` runs every few seconds. */
  load(): Promise<Run>;
}

const COMMANDS: Record<string, Command> = {
  start: {
    parameters: [],
    help: 'serve the gateway and the console',
    load: async () => (await import('./start.ts')).start,
  },
  health: {
    parameters: [],
    help: 'ask the server on PORT whether it is ready; exit code 1 if not',
    load: async () => (await import('./health.ts')).health,
  },
  migrate: {
    parameters: [],
    help: 'bring the database up to this version, as a start does (SQLite: stop the server first)',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  audit: {
    parameters: [],
    options: { anchor: 'value' },
    help: 'check every money invariant and the audit chain, also while the server runs',
    load: async () => (await import('./audit.ts')).audit,
  },
  'reset-password': {
    parameters: ['user'],
    options: { 'turnstile-off': 'flag' },
    help: 'get a user back in, also while the server runs: print a new password and the ways to sign in',
    load: async () => (await import('./reset-password.ts')).resetPassword,
  },
  backup: {
    parameters: ['file'],
    help: 'write a consistent copy of the database, also while the server runs',
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    parameters: ['file'],
    options: { unsigned: 'flag' },
    help: 'go back to a backup (SQLite: stop the server first; PostgreSQL: into an empty database)',
    load: async () => (await import('./restore.ts')).restore,
  },
  move: {
    parameters: ['postgres://…'],
    help: 'take the installation of DATA_DIR from SQLite to an empty PostgreSQL database; goes on where it was cut off',
    load: async () => (await import('./move.ts')).move,
  },
  import: {
    parameters: ['source'],
    options: {
      apply: 'flag',
      'dry-run': 'flag',
      'no-logs': 'flag',
      overwrite: 'flag',
      keys: 'value',
      ...VARIABLES_OPTION,
    },
    help: 'bring users, keys, channels and prices from one-api, new-api, LiteLLM or Bifrost; only a report without --apply',
    load: async () => (await import('./import.ts')).importFrom,
  },
  export: {
    parameters: [],
    options: { out: 'value', 'with-secrets': 'flag' },
    help: 'write everything as NDJSON into the folder of --out, also while the server runs',
    load: async () => (await import('./export.ts')).exportTo,
  },
  config: {
    parameters: ['export|diff|apply'],
    options: { file: 'value', 'with-secrets': 'flag', prune: 'flag', ...VARIABLES_OPTION },
    help: 'settings, groups, prices, channels and plans as one file, also while the server runs',
    load: async () => (await import('./config.ts')).config,
  },
};

export async function runCommandLine(
  args: readonly string[],
  variables: Record<string, string | undefined>,
): Promise<number> {
  const [name = '--help', ...rest] = args;
  if (name === '--version' || name === '-v') return print(VERSION);
  if (name === '--help' || name === '-h' || name === 'help' || rest.includes('--help')) return print(usage());
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return printError(`tollgate: unknown command ${name}\n\n${usage()}`);
  const given = readArguments(rest, command.options ?? {});
  if (typeof given === 'string') return printError(`tollgate: ${given}\n${usageOf(name, command)}`);
  if (given.parameters.length !== command.parameters.length) return printError(usageOf(name, command));
  try {
    const environment = readEnvironment(variables);
    const run = await command.load();
    return await run(environment, given.parameters, given.options);
  } catch (error) {
    console.error(explain(error, variables));
    return error instanceof EnvironmentError ? EXIT.usage : EXIT.failed;
  }
}

function print(text: string): number {
  console.log(text);
  return EXIT.done;
}

function printError(text: string): number {
  console.error(text);
  return EXIT.usage;
}

function usageOf(name: string, { parameters, options = {} }: Command): string {
  const optional = Object.entries(options).map(([option, kind]) =>
    kind === 'flag' ? `[--${option}]` : `[--${option} <value>]`,
  );
  return ['usage: tollgate', name, ...parameters.map((one) => `<${one}>`), ...optional].join(' ');
}

function usage(): string {
  const commands = Object.entries(COMMANDS).map(([name, { parameters, help }]) => {
    const call = [name, ...parameters.map((parameter) => `<${parameter}>`)].join(' ');
    return `  ${call.padEnd(24)} ${help}`;
  });
  const variables = Object.entries(environmentSchema.shape).map(
    ([name, schema]) => `  ${name.padEnd(26)} ${schema.description ?? ''}`,
  );
  return [
    `tollgate ${VERSION}: LLM API gateway with a prepaid-billing console`,
    '',
    'usage: tollgate <command>',
    ...commands,
    `  ${'--help, --version'.padEnd(24)} show this text, show the version`,
    '',
    'environment:',
    ...variables,
  ].join('\n');
}
