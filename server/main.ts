// The entry of the process: reads the arguments and hands them to the command line.
import { runCommandLine } from '#server/cli/commands.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
