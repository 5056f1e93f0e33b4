// The entry of the process: reads the arguments and hands them to the command line.
import { runCommandLine } from '#server/cli/commands.ts';

// An explicit end: under `bun --watch` a process whose work is done would otherwise stay.
process.exit(await runCommandLine(process.argv.slice(2), process.env));
