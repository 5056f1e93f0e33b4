// The options of a bench. One that does not exist is answered with a sentence instead of a stack trace.
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Ends the bench before anything is started. */
export function refuse(reason: string): never {
  process.stderr.write(`bench: ${reason} (npm run bench -- --help)\n`);
  process.exit(2);
}

export function readArguments<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}
