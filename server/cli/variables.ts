// Which variables of the environment a file of a command may stand for (`${ENV:NAME}`, `os.environ/NAME`). The file may come
// from others: what it reads could become the public name of the site, or be sent as a key to an address of its choice. So
// it reads `TOLLGATE_…` and what the operator names with --env, and never the variables that the server itself is run with.
import { environmentSchema } from '#server/platform/env.ts';
import type { OptionValues } from './arguments.ts';
import { CommandError } from './explain.ts';

/** What `config export` writes begins with it; no variable of the server does. */
const PREFIX = 'TOLLGATE_';
const OWN: ReadonlySet<string> = new Set(Object.keys(environmentSchema.shape));

/** `--env NAME,PREFIX_*` */
export const VARIABLES_OPTION = { env: 'value' } as const;

export function readableVariables(
  variables: Record<string, string | undefined>,
  { env = '' }: OptionValues,
): Record<string, string | undefined> {
  const named = String(env)
    .split(/[\s,]+/)
    .filter(Boolean);
  for (const name of named) {
    if (!/^\w+\*?$/.test(name)) throw new CommandError(`--env: ${name} is not the name of a variable.`);
    if (OWN.has(name))
      throw new CommandError(`--env: ${name} is a variable of the server; no file may read it.`);
  }
  const isNamed = (name: string) =>
    named.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));
  return Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) => !OWN.has(name) && (name.startsWith(PREFIX) || isNamed(name)),
    ),
  );
}
