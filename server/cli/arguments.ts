// The arguments of a command: its parameters and its options, each of which may be given once.

export type OptionKinds = Readonly<Record<string, 'flag' | 'value'>>;
export type OptionValues = Readonly<Record<string, string | true | undefined>>;

export interface Arguments {
  parameters: string[];
  options: OptionValues;
}

/** A sentence when the arguments are wrong. */
export function readArguments(given: readonly string[], kinds: OptionKinds): Arguments | string {
  const parameters: string[] = [];
  const options: Record<string, string | true> = {};
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index] ?? '';
    if (!argument.startsWith('--')) {
      parameters.push(argument);
      continue;
    }
    const [name = '', ...inline] = argument.slice(2).split('=');
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) return `there is no option --${name}`;
    if (Object.hasOwn(options, name)) return `--${name} is given twice`;
    if (kind === 'flag') {
      if (inline.length > 0) return `--${name} takes no value`;
      options[name] = true;
      continue;
    }
    const value = inline.length > 0 ? inline.join('=') : given[(index += 1)];
    if (value === undefined || value === '') return `--${name} needs a value`;
    options[name] = value;
  }
  return { parameters, options };
}
