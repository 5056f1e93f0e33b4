// The commands, their arguments and exit codes (0 done, 1 failed, 2 wrong usage or environment).
import {
  EnvironmentError,
  environmentSchema,
  readEnvironment,
  type Environment,
} from '#server/platform/env.ts';
import { readArguments, type OptionKinds, type OptionValues } from './arguments.ts';
import { audit, AUDIT_OPTIONS } from './audit.ts';
import { backup } from './backup.ts';
import { config, CONFIG_OPTIONS } from './config.ts';
import { explain } from './explain.ts';
import { health } from './health.ts';
import { exportTo, EXPORT_OPTIONS } from './export.ts';
import { importFrom, IMPORT_OPTIONS } from './import.ts';
import { migrate } from './migrate.ts';
import { move } from './move.ts';
import { resetPassword, RESET_OPTIONS } from './reset-password.ts';
import { restore, RESTORE_OPTIONS } from './restore.ts';
import { start } from './start.ts';
import { VERSION } from '#server/platform/version.ts';

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

interface Command {
  /** Names of the arguments; all are required. */
  parameters: readonly string[];
  /** `--name` and `--name <value>`, which may be left out. */
  options?: OptionKinds;
  help: string;
  run(environment: Environment, parameters: readonly string[], options: OptionValues): Promise<number>;
}

const COMMANDS: Record<string, Command> = {
  start: { parameters: [], help: 'serve the gateway and the console', run: start },
  health: {
    parameters: [],
    help: 'ask the server on PORT whether it is ready; exit code 1 if not',
    run: health,
  },
  migrate: {
    parameters: [],
    help: 'bring the database up to this version, as a start does (SQLite: stop the server first)',
    run: migrate,
  },
  audit: {
    parameters: [],
    options: AUDIT_OPTIONS,
    help: 'check every money invariant and the audit chain, also while the server runs',
    run: audit,
  },
  'reset-password': {
    parameters: ['user'],
    options: RESET_OPTIONS,
    help: 'get a user back in, also while the server runs: print a new password and the ways to sign in',
    run: resetPassword,
  },
  backup: {
    parameters: ['file'],
    help: 'write a consistent copy of the database, also while the server runs',
    run: backup,
  },
  restore: {
    parameters: ['file'],
    options: RESTORE_OPTIONS,
    help: 'go back to a backup (SQLite: stop the server first; PostgreSQL: into an empty database)',
    run: restore,
  },
  move: {
    parameters: ['postgres://…'],
    help: 'take the installation of DATA_DIR from SQLite to an empty PostgreSQL database; goes on where it was cut off',
    run: move,
  },
  import: {
    parameters: ['source'],
    options: IMPORT_OPTIONS,
    help: 'bring users, keys, channels and prices from one-api, new-api or LiteLLM; only a report without --apply',
    run: importFrom,
  },
  export: {
    parameters: [],
    options: EXPORT_OPTIONS,
    help: 'write everything as NDJSON into the folder of --out, also while the server runs',
    run: exportTo,
  },
  config: {
    parameters: ['export|diff|apply'],
    options: CONFIG_OPTIONS,
    help: 'settings, groups, prices, channels and plans as one file, also while the server runs',
    run: config,
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
    return await command.run(readEnvironment(variables), given.parameters, given.options);
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
